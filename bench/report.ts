// report: how long the page of a very long run takes to be made, and to open in a headless Chromium.
// It ends with 1 where the page takes two seconds to open. The least of several times counts.
import { largeReport } from "../test/support/reports.ts"
import { launch, opened } from "../test/browser/chromium.ts"
import { page } from "../src/read/report/page/Page.ts"

const [batches = 1000, findings = 10_000] = process.argv.slice(2).map(Number)
const rounds = 5
const data = largeReport(batches, findings)

const made = Array.from({ length: rounds }, () => {
  const begins = performance.now()
  const html = page(data)
  return { html, millis: performance.now() - begins }
})
const html = made[0]?.html ?? ""
const least = (times: ReadonlyArray<number>) => `${Math.min(...times).toFixed(0)} ms`

const browser = await launch()
try {
  const times: Array<{ readonly loaded: number; readonly filtered: number }> = []
  for (let i = 0; i < rounds; i += 1) {
    times.push(
      await opened(browser, html, {}, async ({ page }) => {
        const loaded = await page.evaluate<number>(`performance.getEntriesByType("navigation")[0].loadEventEnd`)
        const begins = performance.now()
        await page.fill("#filter-words", "cache 17")
        await page.locator("#filter-shown", { hasNotText: String(findings) + " of" }).waitFor()
        return { loaded, filtered: performance.now() - begins }
      })
    )
  }
  console.log(
    `a page of ${batches} batches and ${findings} findings: ${(html.length / 1e6).toFixed(1)} MB, made in ` +
      `${least(made.map(({ millis }) => millis))}, open in ${least(times.map(({ loaded }) => loaded))}, filtered in ` +
      least(times.map(({ filtered }) => filtered))
  )
  process.exitCode = Math.min(...times.map(({ loaded }) => loaded)) < 2000 ? 0 : 1
} finally {
  await browser.close()
}
