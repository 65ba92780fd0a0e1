// A report in a real browser: it is quiet, asks for nothing, does nothing that strangers wrote, and everybody can use it.
import type { Browser, BrowserContextOptions } from "playwright-core"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { page as pageOf } from "../../src/read/report/page/Page.ts"
import { findingPart, largeReport, reportOf } from "../support/reports.ts"
import { groundOf, launch, opened, type Opened, unfold, widthOf } from "./chromium.ts"

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const findings = ["Guard the cache", "Close the file", "Guard the session", "Await the write", "Name the cursor"]
const ordinary = pageOf(reportOf("A sentence of a reviewer, `code` and all.", {
  findings: { findings: findings.map((title, n) => findingPart(n, title)), estimate: null, unlisted: [], notes: [] }
}))
const hostile = [
  `x<script>window.pwned = "script"</script>`,
  `<img src="x" onerror="window.pwned = 'image'">`,
  `" onmouseover="window.pwned = 'attribute'" autofocus onfocus="window.pwned = 'focus'" x="`,
  `</script><script>window.pwned = "end of script"</script>`,
  `</style></pre></details><svg onload="window.pwned = 'svg'">`,
  `<meta http-equiv="refresh" content="0;url=https://example.org/">`,
  `<a href="javascript:window.pwned = 'link'">x</a>`,
  `<link rel="stylesheet" href="https://example.org/x.css"><iframe src="https://example.org/"></iframe>`,
  "a\u202egnp.exe\u0000\u001b[31m"
].join("\n")

const looked = <A>(html: string, use: (one: Opened) => Promise<A>, options: BrowserContextOptions = {}) =>
  opened(browser, html, { viewport: { width: 1280, height: 900 }, ...options }, use)

describe("a report that is opened", () => {
  it("is quiet, and asks for nothing but itself", () =>
    looked(ordinary, async ({ complaints, page, requests }) => {
      await unfold(page)
      await page.reload()
      assert.deepStrictEqual([complaints, requests], [[], []])
      assert.strictEqual(await page.evaluate(`getComputedStyle(document.body).margin`), "0px")
    }))

  it("does nothing that strangers wrote", () =>
    looked(pageOf(reportOf(hostile)), async ({ complaints, page, requests }) => {
      await unfold(page)
      for (const card of await page.locator("#findings-list > .card").all()) await card.hover()
      await page.keyboard.press("Tab")
      assert.deepStrictEqual([complaints, requests], [[], []])
      const seen = await page.evaluate<Readonly<Record<string, unknown>>>(`({
        pwned: "pwned" in window,
        scripts: document.scripts.length,
        strange: document.querySelectorAll("img, iframe, link, object, embed, base, form, a:not([href^='#'])").length,
        handlers: Array.from(document.querySelectorAll("*")).filter((one) =>
          one.getAttributeNames().some((name) => name.startsWith("on") || name === "style")
        ).length,
        title: document.querySelector("h1").textContent
      })`)
      assert.deepInclude(seen, { pwned: false, scripts: 1, strange: 0, handlers: 0 })
      assert.include(String(seen["title"]), "<script>")
      assert.include(await page.locator("#findings-list pre").first().textContent(), "a\\u202egnp.exe\\u0000")
    }))

  it("refuses a script and a style that are not its own", () =>
    looked(
      ordinary.replace("</main>", `<script>window.pwned = 1</script><p style="color: red">x</p></main>`),
      async ({ complaints, page }) => {
        assert.isFalse(await page.evaluate(`"pwned" in window`))
        assert.strictEqual(complaints.filter((text) => text.includes("Content Security Policy")).length, 2)
      }
    ))
})

describe("everybody can use it", () => {
  const schemes: ReadonlyArray<BrowserContextOptions> = [
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { colorScheme: "light", viewport: { width: 375, height: 800 } }
  ]
  it.each(schemes)("axe finds nothing wrong with it: %j", (options) =>
    looked(ordinary, async ({ page }) => {
      await unfold(page)
      await page.evaluate(axe)
      const found = await page.evaluate<ReadonlyArray<string>>(
        `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" | ")))`
      )
      assert.deepStrictEqual(found, [])
    }, options))

  it("is dark where that is wished", async () => {
    const ground = (colorScheme: "light" | "dark") =>
      looked(ordinary, ({ page }) => groundOf(page), {
        colorScheme
      })
    assert.deepStrictEqual([await ground("light"), await ground("dark")], ["rgb(251, 251, 250)", "rgb(20, 22, 26)"])
  })

  it.each([375, 320])(
    "fits a screen of %i pixels, also unfolded and with long words",
    (width) =>
      looked(pageOf(reportOf(`${"long".repeat(80)} ${hostile}`)), async ({ page }) => {
        await unfold(page)
        assert.isAtMost(await widthOf(page), width)
      }, { viewport: { width, height: 700 } })
  )

  it.each([1280, 375])(
    "has tables of words that fit a screen of %i pixels",
    (width) =>
      looked(ordinary, async ({ page }) => {
        await unfold(page)
        const wide = await page.evaluate<ReadonlyArray<string>>(`Array.from(document.querySelectorAll(".wide"))
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute("aria-label"))`)
        assert.notInclude(wide, "What the agents answered")
        if (width > 1000) assert.deepStrictEqual(wide, [])
      }, { viewport: { width, height: 700 } })
  )

  it("begins with a link past its head, and every scrolling part is reached by the keyboard", () =>
    looked(ordinary, async ({ page }) => {
      await unfold(page)
      await page.keyboard.press("Tab")
      const skip = page.locator(".skip")
      assert.isTrue(await page.evaluate(`document.querySelector(".skip") === document.activeElement`))
      assert.isAtLeast((await skip.boundingBox())?.x ?? -1, 0)
      await page.keyboard.press("Enter")
      await page.waitForURL(/#main$/)
    }))
})

describe("its findings", () => {
  const shown = ({ page }: Opened) => page.locator("#findings-list > .card:visible .name").allTextContents()
  const settled = ({ page }: Opened, text: string) => page.locator("#filter-shown", { hasText: text }).waitFor()

  it("are filtered by the keyboard alone: words, state, priority", () =>
    looked(ordinary, async (one) => {
      const { page } = one
      await settled(one, "5 of 5 shown")
      await page.keyboard.press("/")
      await page.keyboard.type("guard SESS")
      await settled(one, "1 of 5 shown")
      assert.deepStrictEqual(await shown(one), ["Guard the session"])
      await page.keyboard.press("Escape")
      await settled(one, "5 of 5 shown")
      await page.keyboard.press("Tab")
      await page.keyboard.press("o")
      await settled(one, "1 of 5 shown")
      assert.deepStrictEqual(await shown(one), ["Guard the cache"])
      await page.keyboard.press("Home")
      await page.keyboard.press("Tab")
      await page.keyboard.press("n")
      await settled(one, "1 of 5 shown")
      assert.deepStrictEqual(await shown(one), ["Name the cursor"])
    }))

  it("are all there without a script, and the filter is not", () =>
    looked(ordinary, async (one) => {
      assert.strictEqual((await shown(one)).length, 5)
      assert.isFalse(await one.page.locator("#filter").isVisible())
      await one.page.locator("#findings-list summary").first().click()
      assert.isTrue(await one.page.locator("#findings-list pre").first().isVisible())
    }, { javaScriptEnabled: false }))
})

describe("on paper", () => {
  it("it is black on white, without what only a screen needs, and its findings are unfolded", () =>
    looked(ordinary, async ({ page }) => {
      await page.emulateMedia({ media: "print", colorScheme: "dark" })
      assert.strictEqual(
        await groundOf(page),
        "rgb(255, 255, 255)"
      )
      for (const part of ["nav", "#filter", ".skip"]) assert.isFalse(await page.locator(part).isVisible(), part)
      const paper = await page.pdf({ format: "A4" })
      assert.strictEqual(paper.subarray(0, 5).toString(), "%PDF-")
      assert.isTrue(await page.locator("#findings-list details").first().evaluate((one) => one.hasAttribute("open")))
    }))

  it("long words stay on the sheet", () =>
    looked(pageOf(reportOf(`${"long".repeat(80)} ${hostile}`)), async ({ page }) => {
      await page.emulateMedia({ media: "print" })
      await unfold(page)
      assert.isAtMost(await widthOf(page), 700)
    }, { viewport: { width: 700, height: 900 } }))
})

describe("a very long run", () => {
  it("opens soon: 1,000 batches and 10,000 findings", () =>
    looked(pageOf(largeReport(1000, 10_000)), async ({ complaints, page }) => {
      const took = await page.evaluate<number>(`performance.getEntriesByType("navigation")[0].loadEventEnd`)
      // `npm run bench` has the figure. This machine may have other work to do.
      assert.isBelow(took, 10_000)
      assert.strictEqual(await page.locator("#findings-list > .card").count(), 10_000)
      await page.keyboard.press("/")
      await page.keyboard.type("cache 4711")
      await page.locator("#filter-shown", { hasText: /^[0-9] of 10000 shown/ }).waitFor()
      assert.deepStrictEqual(complaints, [])
    }))
})
