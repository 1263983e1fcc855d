"""The rules of the house as code: each rule is a function from the repository to a list of findings."""
