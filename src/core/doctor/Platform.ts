// Platform: the operating systems that the doctor's advice knows, and how programs are installed on each.

/** Linux, macOS, or another one. */
export type Platform = "linux" | "darwin" | "other"

/** The external programs that reviews may need. */
type Installed = "git" | "gh" | "lock"

const advice: Readonly<Record<Installed, Readonly<Record<Platform, string>>>> = {
  git: {
    linux: "install git (apt-get install git)",
    darwin: "install git (xcode-select --install)",
    other: "install git"
  },
  gh: {
    linux: "apt-get install gh, or see https://cli.github.com",
    darwin: "brew install gh, or see https://cli.github.com",
    other: "see https://cli.github.com"
  },
  lock: {
    linux: "install util-linux's flock (apt-get install util-linux), perl or python3",
    darwin: "install perl, python3 (xcode-select --install) or flock (brew install flock)",
    other: "install flock, perl or python3"
  }
}

/** How a program is installed on a platform; `lock` is one that can lock files. */
export const howToInstall = (what: Installed, platform: Platform): string => advice[what][platform]
