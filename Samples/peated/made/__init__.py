"""What the two synthetic stores of Peated hold."""
