"""What texts say: the slot of a statement, a subject and an attribute, and which of two takes the other's place."""
