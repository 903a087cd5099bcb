import { chromium, type Page } from 'playwright-core';
import { temporaryFolder } from './temporary.js';

/** A tab of a real, headless Chromium with an empty profile; closed with its browser. */
export interface BrowserTab extends AsyncDisposable {
  readonly page: Page;
  /** URL of every request that the page made, in order. */
  readonly requested: readonly string[];
}

// Without the networking flags Chromium asks hosts of its maker's at every start.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** Opens a tab in a Chromium of its own, `needs('chromium')`. Every wait in it ends after 30 s. */
export async function openTab(
  options: { readonly colorScheme?: 'light' | 'dark'; readonly javaScript?: boolean } = {},
): Promise<BrowserTab> {
  const home = await temporaryFolder();
  const env = { HOME: home.path, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, env });
  const context = await browser.newContext({
    colorScheme: options.colorScheme ?? 'light',
    javaScriptEnabled: options.javaScript ?? true,
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const requested: string[] = [];
  page.on('request', (request) => void requested.push(request.url()));
  return {
    page,
    requested,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await browser.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
