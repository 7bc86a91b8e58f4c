"""What keeps a store's memories true: integration of new evidence."""
