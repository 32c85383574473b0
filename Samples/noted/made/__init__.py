"""What the synthetic store of Noted holds."""
