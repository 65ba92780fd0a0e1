// How programs are installed on each platform.
import { assert, describe, it } from "vitest"
import { howToInstall, type Platform } from "../../../../src/read/doctor/Check.ts"

const programs = ["git", "gh", "lock"] as const
const all = (platform: Platform) => programs.map((program) => howToInstall(program, platform)).join("\n")

describe("advice", () => {
  it("names apt-get on Linux alone", () => {
    assert.include(all("linux"), "apt-get")
    assert.notInclude(all("darwin") + all("other"), "apt-get")
  })

  it("names Apple's and Homebrew's commands on macOS alone", () => {
    assert.match(all("darwin"), /xcode-select --install[^]*brew install/)
    assert.notMatch(all("linux") + all("other"), /brew|xcode-select/)
  })

  it("is there for every program everywhere", () => {
    for (const platform of ["linux", "darwin", "other"] as const) {
      for (const program of programs) assert.isNotEmpty(howToInstall(program, platform))
    }
  })
})
