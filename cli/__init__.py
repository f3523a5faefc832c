"""The `rollwise` command: asks, calls `solver` and `sim`, and shows. One command a file."""
