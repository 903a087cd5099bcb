import { argumentRefused } from '../../core/failures.js';
import type { BrowserChoice } from '../../core/records.js';

interface KnownBrowser {
  /** How a profile is named: by the options of the two families that know profiles; Safari has none. */
  readonly family: 'chromium' | 'firefox' | 'safari';
  readonly programs: readonly string[];
  readonly application: string;
  /** The name that the package `open` starts it by on Windows. */
  readonly windows?: string;
}

const known: Readonly<Record<string, KnownBrowser>> = {
  brave: {
    family: 'chromium',
    programs: ['brave-browser', 'brave', 'com.brave.Browser'],
    application: 'Brave Browser',
    windows: 'brave',
  },
  chrome: {
    family: 'chromium',
    programs: ['google-chrome', 'google-chrome-stable', 'com.google.Chrome'],
    application: 'Google Chrome',
    windows: 'chrome',
  },
  chromium: {
    family: 'chromium',
    programs: ['chromium', 'chromium-browser', 'org.chromium.Chromium'],
    application: 'Chromium',
  },
  edge: {
    family: 'chromium',
    programs: ['microsoft-edge', 'microsoft-edge-stable', 'com.microsoft.Edge'],
    application: 'Microsoft Edge',
    windows: 'msedge',
  },
  firefox: {
    family: 'firefox',
    programs: ['firefox', 'firefox-esr', 'org.mozilla.firefox'],
    application: 'Firefox',
    windows: 'firefox',
  },
  safari: { family: 'safari', programs: [], application: 'Safari' },
};

export const browserNames: readonly string[] = Object.keys(known);

/** The browser of this machine, whichever it is: what a login has that no other was chosen for. */
export const usualBrowser = 'default';

const browserChoices = `${Object.keys(known).join(', ')}, the absolute path of a program, or ${usualBrowser}`;

/** No text of it can be taken for an option, or for more than one word. */
const profilePattern = /^[A-Za-z0-9][A-Za-z0-9 ._@+-]{0,63}$/;

/**
 * The browser that a person chose for a login; undefined where none was.
 * @throws Failure `usage_wrong`
 */
export function readBrowser(program: string | undefined, profile: string | undefined): BrowserChoice | undefined {
  const refused = (option: string, why: string) => argumentRefused(option, why, 'postern login --help');
  if (program === undefined) return undefined;
  const isPath = program.startsWith('/') || /^[A-Za-z]:\\/.test(program);
  if (!isPath && program !== usualBrowser && knownBrowser(program) === undefined) {
    throw refused('--browser-with', `it is one of ${browserChoices}`);
  }
  if (profile === undefined) return { program };
  if (!profilePattern.test(profile)) {
    throw refused('--browser-profile', 'a profile is 1 to 64 letters, digits, blanks and . _ @ + -');
  }
  if (profileWords(program, profile) === undefined) {
    throw refused('--browser-profile', `postern does not know how ${program} is given a profile`);
  }
  return { program, profile };
}

/** The words that start a browser with a profile; undefined where that is not known. */
export function profileWords(program: string, profile: string | undefined): readonly string[] | undefined {
  if (profile === undefined) return [];
  const family = knownBrowser(program)?.family ?? familyOf(program);
  if (family === 'firefox') return ['-P', profile];
  return family === 'chromium' ? [`--profile-directory=${profile}`] : undefined;
}

function familyOf(path: string): KnownBrowser['family'] | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  if (/firefox|librewolf|zen/.test(name)) return 'firefox';
  return /chrom|edge|brave|vivaldi|opera/.test(name) ? 'chromium' : undefined;
}

/** How a browser of that name is found on each system; undefined for a path. */
export function knownBrowser(program: string): KnownBrowser | undefined {
  return Object.hasOwn(known, program) ? known[program] : undefined;
}
