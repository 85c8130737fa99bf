struct Constraint {}
