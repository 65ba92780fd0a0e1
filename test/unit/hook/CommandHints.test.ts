// CommandHints: what commands are about, by the programs that they start.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { commandHints } from "../../../src/hook/Hints.ts"

describe("a command", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["pytest -x tests/", ["test"]],
    ["cd app && npx vitest run a.test.ts", ["test"]],
    ["npm test", ["test", "dependencies"]],
    ["npm run build:all", ["build", "dependencies"]],
    ["cargo test", ["test", "dependencies"]],
    ["make", ["build"]],
    ["CI=1 FOO=x sudo ./node_modules/.bin/tsc --noEmit", ["build"]],
    ["git push origin main", ["git"]],
    ["git status; docker ps | grep test", ["git", "container"]],
    ["curl https://example.com/build", ["network"]],
    ["psql -c 'select 1'", ["database"]],
    ["rm -rf build", ["files"]],
    ["echo 'a; git push' | cat", []],
    ["echo latest contest", []],
    ["cat test.md", []],
    ["", []],
    ["   ;;&&", []],
    ["sudo", []],
    ["__proto__ constructor", []]
  ])("%s is about %j", (command, hints) => assert.deepStrictEqual(commandHints(command), hints))

  it("may be any text", () =>
    fc.assert(fc.property(fc.string(), (text) => {
      assert.isArray(commandHints(text))
    })))

  it("may be long", () => assert.deepStrictEqual(commandHints(`git add ${"'".repeat(3_000_000)}`), ["git"]))
})
