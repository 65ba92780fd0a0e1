// Why a program failed, by what it wrote to standard error.
import { assert, it } from "vitest"
import { reasonIn } from "../../../src/text/ProgramOutput.ts"

it.each<readonly [string, string]>([
  ["fatal: not a git repository\nUse '--' to separate", "fatal: not a git repository"],
  ["warning: unable to access '/etc/x'\n\n  fatal: bad object HEAD\n", "fatal: bad object HEAD"],
  ["+ exec git\nerror: pathspec 'x' did not match", "error: pathspec 'x' did not match"],
  ["TypeError: x is not a function", "TypeError: x is not a function"],
  ["warning: could not read the keyring\nHTTP 401: Bad credentials", "HTTP 401: Bad credentials"],
  ["hint: Using 'master'\nWarning: old\nno such host", "no such host"],
  ["warning: old\nhint: new", ""],
  ["", ""]
])("of %j the reason is %j", (complaint, reason) => assert.strictEqual(reasonIn(complaint), reason))
