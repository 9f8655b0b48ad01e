"""What the journal holds, written for others: hands for pokerkit, decisions as JSON lines, CSV or a page of their own."""
