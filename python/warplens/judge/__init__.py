"""`warplens judge`: is a fast kernel right, and is it fast by honest work? Reference, candidate and verdict live in processes of their own."""
