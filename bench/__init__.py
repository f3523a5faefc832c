"""Speed and memory, measured side by side with a peer or a limit in one run: `make bench`."""
