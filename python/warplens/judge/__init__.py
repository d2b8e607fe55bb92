"""`warplens judge`: is a fast kernel correct, and is it fast by honest work? Reference, candidate and verdict run in
separate processes.
"""
