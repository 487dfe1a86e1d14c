# The warnings of a call, "call: message".
warnings_of <- function(code) {
  found <- character()
  withCallingHandlers(code, warning = function(w) {
    found <<- c(found, paste0(deparse1(conditionCall(w)), ": ", conditionMessage(w)))
    invokeRestart("muffleWarning")
  })
  found
}
