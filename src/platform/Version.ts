// Version: the version of this program, equal to the one in package.json. Every line of a log names it.

export const version = "0.2.0"
