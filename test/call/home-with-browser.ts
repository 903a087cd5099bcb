import { fakeBrowser } from '../support/fake-browser.js';
import { type Home, makeHomeWithKey } from '../support/home.js';

/** A home whose logins lie in sealed files, and in which a browser can be opened. */
export async function homeWithBrowser() {
  const bare = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  const browser = await fakeBrowser(bare);
  const home: Home = { ...bare, env: { ...bare.env, BROWSER: browser.path } };
  return { home, browser, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}
