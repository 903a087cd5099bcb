import { type Home, makeHome } from '../support/home.js';

/** A home where nothing is said of folders: they are the platform's usual ones. */
export async function plainHome(): Promise<Home> {
  const home = await makeHome();
  const env = Object.fromEntries(Object.entries(home.env).filter(([name]) => !name.startsWith('XDG_')));
  return { ...home, env };
}
