"""`python -m scrubjay`: the same as the `scrubjay` command."""

from scrubjay.cli import main

if __name__ == "__main__":
    main()
