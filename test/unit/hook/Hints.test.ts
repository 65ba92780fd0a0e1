// Hints: what paths, sizes and commands say about a change.
import { assert, describe, it } from "vitest"
import { commandHints, focusHints, sizeHints } from "../../../src/hook/Hints.ts"

describe("a path", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["src/auth/login.ts", ["security"]],
    ["src/keyboard.ts", []],
    ["src/author.ts", []],
    ["src/latest/contest.ts", []],
    ["src/database.ts", ["data"]],
    ["src/updates.ts", []],
    ["src/ApiKey.test.ts", ["security", "test"]],
    ["db/migrations/2.sql", ["data"]],
    ["src/components/Button.tsx", ["ui"]],
    ["build.ts", []],
    ["suite/require.ts", []],
    ["package.json", ["config"]],
    [".github/workflows/x.yml", ["config"]],
    ["C:\\app\\tests\\a.py", ["test"]],
    ["", []]
  ])("%s gives %j", (path, hints) => assert.deepStrictEqual(focusHints(path), hints))
})

describe("a change", () => {
  it.each<[number, number, ReadonlyArray<string>]>([
    [100, 300, []],
    [100, 301, ["expanded"]],
    [0, 900, []],
    [100, 50, []],
    [100, 49, ["reduced"]],
    [100, 0, ["reduced"]],
    [0, 5000, []],
    [0, 5001, ["large"]],
    [5001, 5000, ["large"]],
    [2000, 7000, ["expanded", "large"]],
    [0, 0, []]
  ])(
    "of %d characters into %d says %j",
    (before, after, hints) => assert.deepStrictEqual(sizeHints({ before, after }), hints)
  )
})

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

  it("can be long", () => assert.deepStrictEqual(commandHints(`git add ${"'".repeat(3_000_000)}`), ["git"]))
})
