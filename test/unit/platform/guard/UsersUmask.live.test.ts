// UsersUmask: what a program makes is as private as its caller wants it, whatever this process keeps private.
import { execFileSync } from "node:child_process"
import { assert, it } from "vitest"
import { underUmask } from "../../../../src/platform/guard/Wrapper.ts"

it.each([["22", "0022\n"], ["2", "0002\n"], [null, "0077\n"]])("a program gets the umask %s", (umask, got) => {
  const shell = ["-c", 'umask 077; exec sh "$@"', "sh", ...underUmask(umask, "sh", ["-c", "umask"])]
  assert.strictEqual(`${execFileSync("sh", shell, { env: { ...process.env, OODA_UMASK: "27" } })}`, got)
})
