// `npm run picture`: the pictures in README.md: `converge` on a pseudo terminal of 100 columns, and the report of its run.
// The real Codex CLI reviews and works for a stand-in model. What stood there while the agent worked is written down.
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { agent } from "../fixtures/stand-in-model/agent.mjs"
import { writeCodexHome } from "../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers } from "../fixtures/stand-in-model/leftovers.mjs"
import { delayed } from "../fixtures/stand-in-model/reply.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { type Policy, startStandIn } from "../fixtures/stand-in-model/server.mjs"
import { asksAgent } from "../fixtures/stand-in-model/work.mjs"
import { pinnedCodex } from "../test/codex/install.mjs"
import { launch, opened } from "../test/browser/chromium.ts"
import { screenAfter } from "../test/support/screen.ts"
import { makeScratch } from "./demo/scratch.mjs"
import { SHOP } from "./demo/shop.mjs"

const root = process.cwd()
const columns = 100
// A real model thinks: an agent is seen at each of its commands.
const policy: Policy = async (request) =>
  asksAgent(request.turn.prompt) ? delayed(1200, await agent()(request)) : await reviewer(request)

/** A call of `converge`: all that it writes to its terminal, and the report of its run. */
const converged = async (): Promise<{ readonly bytes: string; readonly report: string }> => {
  const { codex } = pinnedCodex(root)
  const scratch = makeScratch(SHOP)
  const standIn = await startStandIn({ policy })
  const recorded = mkdtempSync(join(tmpdir(), "picture-"))
  try {
    const env = {
      ...scratch.environment,
      ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }),
      TERM: "xterm",
      NO_COLOR: "1"
    }
    const converge = ["converge", "--yes", "--uncommitted", "-n", "3", "--test", "node --test", "--max-tokens", "5M"]
    const here = ["--state-root", scratch.stateRoot, "--codex-bin", codex]
    const terminal = [join(root, "test/process/terminal.py"), recorded, "same", "pipe", String(columns), "40"]
    const cli = join(root, "dist/ooda-codex-review.cjs")
    const program = [process.execPath, cli, ...converge, ...here]
    const child = spawn("python3", [...terminal, ...program], { cwd: scratch.project, env, stdio: "inherit" })
    const exit = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve))
    if (exit !== 0) throw new Error(`converge exited ${String(exit)}`)
    const report = ["report", "--state-root", scratch.stateRoot]
    return {
      bytes: readFileSync(join(recorded, "tty"), "utf8"),
      report: execFileSync(process.execPath, [cli, ...report], { cwd: scratch.project, env, encoding: "utf8" })
    }
  } finally {
    await endLeftovers(scratch.codexHome)
    await standIn.close()
    scratch.remove()
    rmSync(recorded, { recursive: true, force: true })
  }
}

/** The parts of a page that a person looks at first. Where it was made, and when, is nobody's business. */
const photo = async (html: string, file: string): Promise<void> => {
  const browser = await launch()
  try {
    await opened(browser, html, { viewport: { width: 1000, height: 800 } }, async ({ page }) => {
      await page.evaluate(
        `for (const one of document.querySelectorAll("#outcome > dl, #turns, #events, footer")) one.hidden = true`
      )
      await page.screenshot({ path: file, fullPage: true })
    })
  } finally {
    await browser.close()
  }
}

const frameEnd = "\u001b[?7h"
const { bytes, report } = await converged()
await photo(report, join(root, "docs/report.png"))
const screens = bytes.split(frameEnd).map((_, i, frames) =>
  screenAfter(frames.slice(0, i + 1).join(frameEnd) + frameEnd, columns).lines.join("\n").trimEnd()
)
const last = (what: RegExp): string | undefined => screens.findLast((screen) => what.test(screen))
const picture = last(/^codex .*works on the findings: \$ /m) ?? last(/^codex .*: \$ /m)
if (picture === undefined) {
  throw new Error(
    `no frame shows the agent at a command: ${screens.flatMap((one) => one.match(/^codex .*/gm) ?? []).join("; ")}`
  )
}
const readme = join(root, "README.md")
const [begin, end] = ["<!-- generated: picture -->", "<!-- /generated -->"]
const [before = "", after] = readFileSync(readme, "utf8").split(begin)
if (after === undefined) throw new Error(`README.md holds no ${begin}`)
const rest = after.slice(after.indexOf(end))
writeFileSync(readme, `${before}${begin}\n\`\`\`text\n${picture}\n\`\`\`\n${rest}`)
