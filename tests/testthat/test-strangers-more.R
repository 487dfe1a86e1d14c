# More likelihoods in the styles of published examples: each as one would write it, against R and differences.

unoptimized_programs()
set.seed(11)
n <- 80
x <- rnorm(n)
X <- cbind(1, x)
yc <- 1 + .5*x + rnorm(n)
yp <- rpois(n, exp(.3+.4*x))
y01 <- rbinom(n,1,.5)
g <- rep(1:8, length.out = n)
tm <- rexp(n)
ev <- rbinom(n,1,.7)
u <- runif(n)
zo <- ifelse(u<.1,0,ifelse(u>.9,1,rbeta(n,2,3)))
y2 <- rpois(n,1.5)
cases <- rpois(20, 8)
Y5 <- matrix(rnorm(3*n),n)
nod <- c(-2.02,-.96,0,.96,2.02)
wt <- c(.02,.39,.945,.39,.02)

models <- list()
model <- function(name, f, values, par) models[[name]] <<- list(f = f, values = values, par = par)
model("zoib-index", function(y, a, b, p0, p1) { k0 <- plogis(p0); k1 <- plogis(p1); i0 <- y == 0; i1 <- y == 1; ym <- y[!i0 & !i1]; sum(i0)*log(k0) + sum(!i0)*log1p(-k0) + sum(i1)*log(k1) + length(ym)*log1p(-k1) + sum(dbeta(ym, exp(a), exp(b), log=TRUE)) }, list(y=zo,a=.2,b=.3,p0=-1,p1=-1), c("a","b","p0","p1"))
model("bivpois", function(x, y, l1, l2, l3) { a <- exp(l1); b <- exp(l2); c <- exp(l3); s <- 0; for (k in 0:20) s <- s + ifelse(k <= pmin(x, y), dpois(x-k, a)*dpois(y-k, b)*dpois(k, c), 0); sum(log(s)) }, list(x=yp,y=y2,l1=.1,l2=.2,l3=-1), c("l1","l2","l3"))
model("sv-latent", function(y, h, mu, phi, ls) { n <- length(y); s <- exp(ls); p <- tanh(phi); sum(dnorm(y, 0, exp(h/2), log=TRUE)) + dnorm(h[1], mu, s/sqrt(1-p^2), log=TRUE) + sum(dnorm(h[-1], mu + p*(h[-n]-mu), s, log=TRUE)) }, list(y=yc,h=rnorm(n)/3,mu=.1,phi=.5,ls=-.5), c("h","mu","phi","ls"))
model("sir-euler", function(cases, lb, lg, li) { N <- 1000; S <- N - exp(li); I <- exp(li); beta <- exp(lb); gam <- exp(lg); ll <- 0; for (t in 1:length(cases)) { for (k in 1:10) { inf <- beta*S*I/N*0.1; rec <- gam*I*0.1; S <- S - inf; I <- I + inf - rec }; ll <- ll + dpois(cases[t], I*.1, log=TRUE) }; ll }, list(cases=cases,lb=-.3,lg=-1,li=3), c("lb","lg","li"))
model("kalman", function(y, lq, lr) { q <- exp(lq); r <- exp(lr); m <- y[1]; P <- r; ll <- 0; for (t in 2:length(y)) { P <- P + q; v <- y[t] - m; F <- P + r; ll <- ll - 0.5*(log(2*pi) + log(F) + v^2/F); K <- P/F; m <- m + K*v; P <- (1-K)*P }; ll }, list(y=cumsum(yc)/5,lq=-1,lr=-.5), c("lq","lr"))
model("cure-interval", function(L, R, X, b, lk, ls) { p <- plogis(X %*% b); k <- exp(lk); s <- exp(ls); SL <- 1 - p + p*exp(-(L/s)^k); SR <- ifelse(is.finite(R), 1 - p + p*exp(-(ifelse(is.finite(R), R, 1)/s)^k), 1-p); sum(log(ifelse(is.finite(R), SL - SR, SL))) }, list(L=tm,R=ifelse(ev==1,tm+.5,Inf),X=X,b=c(.5,.2),lk=.1,ls=.2), c("b","lk","ls"))
model("oprobit-thresholds", function(y, item, x, beta, tau) { K <- ncol(tau); t2 <- cbind(-Inf, tau, Inf); hi <- t2[cbind(item, y+1)]; lo <- t2[cbind(item, y)]; sum(log(pnorm(hi - beta*x) - pnorm(lo - beta*x))) }, list(y=rep(1:4,length.out=n),item=g,x=x,beta=.3,tau=matrix(rep(c(-1,0,1),each=8),8)+rep(rnorm(8)/5,3)), c("beta","tau"))
model("hurdle-nb-index", function(y, X, b, g0, lk) { mu <- as.vector(exp(X %*% b)); k <- exp(lk); p <- plogis(g0); pos <- y > 0; sum(log(1-p)*(!pos)) + sum(pos*(log(p) + dnbinom(y, size=k, mu=mu, log=TRUE) - log(1 - (k/(k+mu))^k))) }, list(y=yp,X=X,b=c(.1,.2),g0=.3,lk=.2), c("b","g0","lk"))
model("boxcox", function(y, X, b, ls, lam) { z <- if (abs(lam) < 1e-6) log(y) else (y^lam - 1)/lam; sum(dnorm(z, as.vector(X %*% b), exp(ls), log=TRUE)) + (lam-1)*sum(log(y)) }, list(y=tm+.1,X=X,b=c(.1,.2),ls=.1,lam=.4), c("b","ls","lam"))
model("mvn-chol", function(Y, mu, l) { L11 <- exp(l[1]); L22 <- exp(l[2]); L33 <- exp(l[3]); L21 <- l[4]; L31 <- l[5]; L32 <- l[6]; z1 <- (Y[,1]-mu[1])/L11; z2 <- (Y[,2]-mu[2]-L21*z1)/L22; z3 <- (Y[,3]-mu[3]-L31*z1-L32*z2)/L33; -0.5*sum(z1^2+z2^2+z3^2) - nrow(Y)*(l[1]+l[2]+l[3]+1.5*log(2*pi)) }, list(Y=Y5,mu=c(0,.1,.2),l=c(.1,0,.1,.2,.3,-.1)), c("mu","l"))
model("mvn-chol-loop", function(Y, mu, l) { L <- matrix(0,3,3); k <- 0; for (j in 1:3) for (i in j:3) { k <- k+1; L[i,j] <- l[k] }; diag1 <- exp(c(L[1,1],L[2,2],L[3,3])); ll <- 0; Z <- matrix(0, nrow(Y), 3); for (i in 1:3) { r <- Y[,i] - mu[i]; if (i > 1) for (j in 1:(i-1)) r <- r - L[i,j]*Z[,j]; Z[,i] <- r/diag1[i]; ll <- ll + sum(dnorm(Z[,i], log=TRUE)) - nrow(Y)*log(diag1[i]) }; ll }, list(Y=Y5,mu=c(0,.1,.2),l=c(.1,.2,.3,0,-.1,.1)), c("mu","l"))
model("gpd-threshold", function(y, u, ls, xi) { e <- y[y > u] - u; s <- exp(ls); if (abs(xi) < 1e-6) -length(e)*ls - sum(e)/s else -length(e)*ls - (1+1/xi)*sum(log1p(xi*e/s)) }, list(y=tm,u=.3,ls=.1,xi=.2), c("ls","xi"))
model("gh-group-rowsum", function(y, g, X, nodes, wts, b, ls) { eta <- drop(X %*% b); L <- 0; for (q in seq_along(nodes)) { ll <- dbinom(y, 1, plogis(eta + sqrt(2)*exp(ls)*nodes[q]), log=TRUE); L <- L + wts[q]*exp(rowsum(ll, g)) }; sum(log(L)) }, list(y=y01,g=g,X=X,nodes=nod,wts=wt,b=c(.1,.2),ls=-.2), c("b","ls"))
model("aft-split", function(par, t, d, X) { b <- par[1:2]; s <- exp(par[3]); z <- (log(t) - X %*% b)/s; sum(d*(z - log(s) - log(t))) - sum(exp(z)) }, list(par=c(.1,.2,0),t=tm,d=ev,X=X), "par")
model("loglog", function(t, d, a, b) { a <- exp(a); b <- exp(b); h <- (b/a)*(t/a)^(b-1)/(1+(t/a)^b); S <- 1/(1+(t/a)^b); sum(log(h[d==1])) + sum(log(S)) }, list(t=tm,d=ev,a=.1,b=.2), c("a","b"))
model("piecewise-exp", function(t, d, lh) { cuts <- c(0,.5,1,2,Inf); ll <- 0; for (j in 1:4) { e <- pmax(0, pmin(t, cuts[j+1]) - cuts[j]); ll <- ll + sum(d*(t > cuts[j] & t <= cuts[j+1]))*lh[j] - exp(lh[j])*sum(e) }; ll }, list(t=tm,d=ev,lh=c(0,.1,.2,.3)), "lh")
model("cox-breslow-ties", function(b, X, t, d) { o <- order(t, decreasing=TRUE); eta <- (X %*% b)[o]; dd <- d[o]; sum(dd*(eta - log(cumsum(exp(eta))))) }, list(b=.3,X=cbind(x),t=tm,d=ev), "b")
model("weibull3", function(p, y) { if (p[3] >= min(y)) return(-1e10); sum(dweibull(y - p[3], exp(p[1]), exp(p[2]), log=TRUE)) }, list(p=c(.1,.2,-.1),y=tm), "p")
model("ricker", function(logr, logK, ls, N) { n <- length(N); pred <- N[-n]*exp(exp(logr)*(1 - N[-n]/exp(logK))); sum(dlnorm(N[-1], log(pred), exp(ls), log=TRUE)) }, list(logr=-.5,logK=.7,ls=-.3,N=exp(yc/2)), c("logr","logK","ls"))
model("ar2-cond", function(y, p) { n <- length(y); e <- y[3:n] - p[1]*y[2:(n-1)] - p[2]*y[1:(n-2)]; sum(dnorm(e, 0, exp(p[3]), log=TRUE)) }, list(y=yc,p=c(.3,.1,0)), "p")
model("ma1", function(y, mu, th, ls) { e <- numeric(length(y)); e[1] <- y[1]-mu; for (t in 2:length(y)) e[t] <- y[t] - mu - th*e[t-1]; sum(dnorm(e, 0, exp(ls), log=TRUE)) }, list(y=yc,mu=.1,th=.3,ls=0), c("mu","th","ls"))
model("hmm-K", function(y, lam, Gt) { K <- length(lam); G <- exp(Gt)/rowSums(exp(Gt)); a <- rep(1/K, K); ll <- 0; for (t in 1:length(y)) { a <- as.vector(a %*% G)*dpois(y[t], exp(lam)); s <- sum(a); ll <- ll + log(s); a <- a/s }; ll }, list(y=yp,lam=c(-.5,.5,1),Gt=matrix(c(1,.1,.2,.3,1,.1,.1,.2,1),3)), c("lam","Gt"))
model("occupancy", function(Y, psi, p) { d <- rowSums(Y); J <- ncol(Y); ps <- plogis(psi); pp <- plogis(p); sum(log(ps*pp^d*(1-pp)^(J-d) + (1-ps)*(d==0))) }, list(Y=matrix(rbinom(3*n,1,.3),n),psi=.2,p=-.3), c("psi","p"))
model("distance-halfnormal", function(d, w, ls) { s <- exp(ls); mu <- sqrt(2*pi)*s*(pnorm(w, 0, s) - 0.5); sum(-d^2/(2*s^2) - log(mu)) }, list(d=tm,w=6,ls=.1), "ls")
model("double-censored", function(y, lo, up, mu, ls) { s <- exp(ls); ll <- numeric(length(y)); ll <- ifelse(y <= lo, pnorm(lo, mu, s, log.p=TRUE), ifelse(y >= up, pnorm(up, mu, s, lower.tail=FALSE, log.p=TRUE), dnorm(y, mu, s, log=TRUE))); sum(ll) }, list(y=pmin(pmax(yc,0),2),lo=0,up=2,mu=.9,ls=.1), c("mu","ls"))
model("nested-logit", function(y, V, b, lam) { U <- V*b; IV1 <- log(exp(U[,1]/lam) + exp(U[,2]/lam)); P1 <- exp(lam*IV1)/(exp(lam*IV1) + exp(U[,3])); lp <- ifelse(y == 3, log(1-P1), log(P1) + U[cbind(1:nrow(U), pmin(y,2))]/lam - IV1); sum(lp) }, list(y=rep(1:3,length.out=n),V=matrix(rnorm(3*n),n),b=.4,lam=.7), c("b","lam"))
model("mlogit-loop", function(y, X, B) { K <- ncol(B)+1; den <- 1; for (k in 1:(K-1)) den <- den + exp(X %*% B[,k]); num <- 0; for (k in 1:(K-1)) num <- num + (y == k+1)*(X %*% B[,k]); sum(num - log(den)) }, list(y=rep(1:3,length.out=n),X=X,B=matrix(c(.1,.2,.3,-.1),2)), "B")
model("pk-multi", function(conc, t, dose, tau, lka, lke, lV, ls) { ka <- exp(lka); ke <- exp(lke); V <- exp(lV); f <- 0; for (k in 0:5) { dt <- t - k*tau; f <- f + ifelse(dt > 0, dose*ka/(V*(ka-ke))*(exp(-ke*dt) - exp(-ka*dt)), 0) }; sum(dlnorm(conc, log(f), exp(ls), log=TRUE)) }, list(conc=tm+.1,t=tm*5+.1,dose=10,tau=2,lka=.3,lke=-1,lV=1,ls=0), c("lka","lke","lV","ls"))
model("rw2", function(y, f, ls, lt) sum(dnorm(y, f, exp(ls), log=TRUE)) + sum(dnorm(diff(f, differences=2), 0, exp(lt), log=TRUE)), list(y=yc,f=rnorm(n)/2,ls=0,lt=-1), c("f","ls","lt"))
model("horner", function(y, x, b, ls) { mu <- b[length(b)]; for (k in (length(b)-1):1) mu <- mu*x + b[k]; sum(dnorm(y, mu, exp(ls), log=TRUE)) }, list(y=yc,x=x,b=c(.1,.2,.3,.1),ls=0), c("b","ls"))
model("scale-t", function(Y, mu, ls) { Z <- t((t(Y) - mu)/exp(ls)); sum(-0.5*Z^2) - nrow(Y)*sum(ls) }, list(Y=Y5,mu=c(.1,.2,.3),ls=c(0,.1,.2)), c("mu","ls"))
model("wishart-2x2", function(Y, mu, s1, s2, zr) { r <- tanh(zr); S <- matrix(c(exp(2*s1), r*exp(s1+s2), r*exp(s1+s2), exp(2*s2)), 2); D <- S[1,1]*S[2,2]-S[1,2]^2; a <- Y[,1]-mu[1]; b <- Y[,2]-mu[2]; sum(-log(2*pi) - 0.5*log(D) - 0.5*(S[2,2]*a^2 - 2*S[1,2]*a*b + S[1,1]*b^2)/D) }, list(Y=Y5,mu=c(.1,.2),s1=0,s2=.1,zr=.3), c("mu","s1","s2","zr"))
model("exposure", function(d, E, x, b0, b1) sum(d*log(E*exp(b0+b1*x)) - E*exp(b0+b1*x) - lgamma(d+1)), list(d=yp,E=tm+.5,x=x,b0=.1,b1=.2), c("b0","b1"))
model("as-list-alias", function(par, yc, x) { p <- as.list(par); -sum(dnorm(yc, p$a + p$b * x, exp(p$ls), log = TRUE)) }, list(par = c(a=1,b=.3,ls=0), yc=yc, x=x), "par")
model("unlist-lapply", function(b, y2, x) { mu <- exp(b[1] + b[2]*x); -sum(unlist(lapply(seq_along(y2), function(i) dpois(y2[i], mu[i], log = TRUE)))) }, list(b=c(1,.1), y2=y2, x=x), "b")
model("grown-vector", function(b, y2, x) { ll <- NULL; for (i in 1:8) ll <- c(ll, dpois(y2[i], exp(b[1] + b[2]*x[i]), log = TRUE)); -sum(ll) }, list(b=c(1,.1), y2=y2, x=x), "b")
model("rep-NA", function(b, y2, x) { ll <- rep(NA, length(y2)); for (i in seq_along(y2)) ll[i] <- dpois(y2[i], exp(b[1] + b[2]*x[i]), log = TRUE); -sum(ll) }, list(b=c(1,.1), y2=y2, x=x), "b")
model("state-by-name", function(p, cases) { state <- c(S = 990, I = 10, R = 0); nll <- 0; for (t in seq_along(cases)) { inf <- exp(p[1])*state["S"]*state["I"]/1000; rec <- exp(p[2])*state["I"]; state["S"] <- state["S"] - inf; state["I"] <- state["I"] + inf - rec; state["R"] <- state["R"] + rec; nll <- nll - dpois(cases[t], inf, log = TRUE) }; as.numeric(nll) }, list(p=c(-.5,-1), cases=cases), "p")
model("two-column-binding", function(b, yc, x) { M <- cbind(1, x); r <- yc - b[1]*M[, 1] - b[2]*M[, 2]; sum(r^2) + sum(M[, 1])*b[1]^2 }, list(b=c(1,.1), yc=yc, x=x), "b")

test_that("parameters in a list, as RTMB has them, are searched for", {
  for (f in list(
    function(parms) -sum(dnorm(yc, parms$a + parms$b * x, exp(parms$ls), log = TRUE)),
    function(parms) with(parms, -sum(dnorm(yc, a + b * x, exp(ls), log = TRUE))),
    function(parms) { a <- parms$a; b <- parms[["b"]]; -sum(dnorm(yc, a + b * x, exp(parms$ls), log = TRUE)) }
  )) {
    start <- list(parms = list(a = 0.5, b = 1, ls = 0.1))
    on_each_device(function(device) {
      objective <- as_objective(opencl_function(f, gradient = "parms"), start, negative = FALSE, device = device)
      expect_named(objective$par, names(unlist(start)))
      expect_equal(objective$fn(objective$par), f(start$parms), tolerance = 1e-12)
      expect_equal(objective$gr(objective$par), unname(differences(function(a, b, ls) f(list(a = a, b = b, ls = ls)), start$parms, names(start$parms))), tolerance = 1e-7)
      value <- opencl_function(f, gradient = "parms")(start$parms, device = device)
      expect_named(attr(value, "gradient"), c("parms$a", "parms$b", "parms$ls")) # not of data that with() finds elsewhere
    })
    objective <- as_objective(opencl_function(f, gradient = "parms"), start, negative = FALSE)
    fit <- stats::nlminb(objective$par, objective$fn, objective$gr)
    expect_equal(unname(fit$par[1:2]), unname(stats::coef(stats::lm(yc ~ x))), tolerance = 1e-4)
  }
})

for (name in names(models)) {
  test_that(paste("a published style runs as it stands:", name), {
    one <- models[[name]]
    data <- one$values[setdiff(names(one$values), one$par)]
    expect_model(one$f, data, one$values[one$par])
  })
}
