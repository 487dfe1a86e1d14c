# Minus the log-posterior of a logistic regression, `qf`, and its gradient, `grad`, at each column of `b`.
#
# x: a row for each observation; y: proportions of successes in wt trials; offsets alpha; prior mean mu and precision P.
# Where the package was built without OpenCL, zeros, and a message.
logit_grid <- function(b, y, x, mu, P, alpha, wt) logit_grid_cpp(b, y, x, mu, P, alpha, wt)
