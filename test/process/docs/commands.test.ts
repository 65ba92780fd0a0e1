// Every command of README.md, docs/ and plugin/ is run word for word, and ends and does as its page says.
// The commands come from the pages; no page can have one that nothing runs.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it } from "../world.ts"
import { elsewhere } from "./elsewhere.ts"
import { bare, blocks, hidden, root } from "./pages.ts"
import { promises } from "./promises.ts"
import { inScene } from "./scene.ts"

const here = blocks.filter(({ lines }) => lines.some((line) => !(bare(line) in elsewhere)))

describe.concurrent("the commands of", () => {
  for (const { lines, place } of here) {
    it(
      place,
      place.startsWith("plugin/commands/") ? {} : { tags: "slow" },
      ({ world }) =>
        inScene(world, async (scene) => {
          for (const line of lines) {
            if (bare(line) in elsewhere) continue
            const { before, exit = 0, seen, stderr = /^$/ } = promises.find(({ of }) => of.test(bare(line))) ?? {}
            await before?.(scene, bare(line))
            const ran = await scene.run(line)
            const what = `${line}\n${ran.exit}\n${ran.stdout}${ran.stderr}`
            assert.strictEqual(ran.exit, exit, what)
            assert.match(ran.stderr, stderr, what)
            seen?.(scene, ran)
          }
        })
    )
  }
})

describe("what is run elsewhere", () => {
  const lines = blocks.flatMap((block) => block.lines.map(bare))

  it("is on a page, and word for word in the named file", () => {
    assert.isNotEmpty(here)
    for (const [line, file] of Object.entries(elsewhere)) {
      assert.include(lines, line)
      const exact = line.replace(/[$.()@*]/g, "\\$&")
      const text = readFileSync(join(root, file), "utf8")
      assert.match(text, new RegExp(`(?:^|["'\`])${exact}(?:["'\`]|$| (?:&&|\\|\\|) )`, "m"))
    }
  })

  it("and no block is marked in a way that hides it", () => assert.deepEqual(hidden, []))

  it("and every promise is one about a command of a page", () =>
    assert.deepEqual(promises.filter(({ of }) => !lines.some((line) => of.test(line))).map(({ of }) => of), []))
})
