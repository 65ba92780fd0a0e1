// UsualUmask: what a program makes is as private as its caller wants it, whatever this process keeps private.
import { execFileSync } from "node:child_process"
import { assert, it } from "vitest"
import { underUsualUmask } from "../../../../src/platform/guard/Wrapper.ts"

it.each([["22", "0022\n"], ["2", "0002\n"], [undefined, "0077\n"]])("a program gets the umask %s", (usual, got) => {
  const shell = ["-c", 'umask 077; exec sh "$@"', "sh", ...underUsualUmask("sh", ["-c", "umask"])]
  const { OODA_UMASK: _, ...env } = process.env
  const said = execFileSync("sh", shell, { env: usual === undefined ? env : { ...env, OODA_UMASK: usual } })
  assert.strictEqual(`${said}`, got)
})
