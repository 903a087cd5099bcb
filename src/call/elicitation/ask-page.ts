import type { CommandOutput } from '../../core/command.js';
import { classifyHost } from '../../core/ip-address.js';
import type { DescribedHost, OpenedPage, Pages, Terminal } from '../../core/ports.js';
import type { BrowserChoice } from '../../core/records.js';
import { toned } from '../../core/text/look.js';
import { printable, quoted } from '../../core/text/printable.js';
import { saysYes } from '../../core/text/says-yes.js';
import { aborted } from '../../core/time.js';
import { gateUrl } from '../../core/url.js';

export interface PersonPorts extends Pick<CommandOutput, 'tellLook'> {
  readonly terminal: Terminal;
  readonly pages: Pages;
}

/** A page that a server wants a person to see, and its words about it. */
interface WantedPage {
  /** What the server is called; `url`: its address, undefined for a program. */
  readonly server: { readonly name: string; readonly url: string | undefined };
  readonly page: PageToOpen;
  readonly message: string;
  /** Whether a browser may be opened; else the person copies the address. */
  readonly opens: boolean;
  /** The one of the login; undefined: the usual one. */
  readonly browser: BrowserChoice | undefined;
}

export type Consent =
  | { readonly action: 'accept'; readonly opened: OpenedPage | undefined }
  | { readonly action: 'decline' | 'cancel' };

/**
 * Shows which server wants which page opened and why, the whole address with its host standing out, and opens it once the
 * person agrees. Enter alone is a no. @throws the signal's reason
 */
export async function askForPage(ports: PersonPorts, wanted: WantedPage, signal: AbortSignal): Promise<Consent> {
  const { terminal, tellLook, pages } = ports;
  const { server, page, message, opens, browser } = wanted;
  const host = await pages.describe(page.hostname);
  const [before, name, after] = page.parts;
  terminal.tell(`${printable(server.name, 200)} asks you to open a page in your browser: ${quoted(message, 500)}`);
  terminal.tell(`  ${before}${toned(tellLook, 'strong', name)}${after}`);
  const site = host.site === undefined || host.site === page.hostname ? '' : `, of ${host.site}`;
  const isOwn = server.url !== undefined && new URL(server.url).hostname === page.hostname;
  const own = isOwn ? ' (the server’s own host)' : ' (not the server’s own host)';
  terminal.tell(`  Host: ${toned(tellLook, 'strong', name)}${site}${server.url === undefined ? '' : own}`);
  for (const warning of warningsOf(page, server.url, host)) terminal.tell(`warning  ${warning}`);
  const question = 'Open this page? y: yes; n: no; c: cancel [y/N/c] ';
  const typed = (await terminal.ask(question, { hidden: false, signal }))?.trim().toLowerCase();
  if (typed === undefined || /^c(ancel)?$/.test(typed)) return { action: 'cancel' };
  if (!/^y(es)?$/.test(typed)) return { action: 'decline' };
  const opened = opens ? await pages.open(page.url, browser) : undefined;
  terminal.tell(
    opened === undefined
      ? 'No browser is opened here: copy the address above into yours.'
      : 'Your browser was given the page. If none comes up, copy the address above.',
  );
  return { action: 'accept', opened };
}

/**
 * Waits until the person says that the page is done with, or the server does.
 * @param completed Aborts when the server says so.
 * @returns Whether the request is to go on. @throws the signal's reason
 */
export async function askWhetherDone(
  { terminal }: PersonPorts,
  { opened, completed }: { readonly opened: OpenedPage | undefined; readonly completed: AbortSignal },
  signal: AbortSignal,
): Promise<boolean> {
  const question = 'When you are done there, press Enter to go on; c cancels: ';
  const asking = new AbortController();
  const either = AbortSignal.any([signal, completed, asking.signal]);
  const typed = terminal.ask(question, { hidden: false, signal: either }).then((line) => line?.trim().toLowerCase());
  try {
    const said = await Promise.race([typed, aborted(completed).then(() => '')]);
    if (said === undefined || /^(?:c(ancel)?|no?)$/.test(said)) return false;
  } catch (error) {
    if (signal.aborted || !completed.aborted) throw error;
  } finally {
    typed.catch(() => undefined);
    asking.abort();
  }
  if (completed.aborted) terminal.tell('The server says that this is done.');
  return opened?.doubtful !== true || (await isTheirs(terminal, signal));
}

/** Whoever took the link in the person's place has seen the address of the page. */
async function isTheirs(terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  terminal.tell('The link that opens the page was used by two browsers, or by another user of this machine.');
  return saysYes(terminal, 'Was each of them you? Else somebody else may have answered there.', signal);
}

/** Longest address of a page, in characters: the person is to look over all of it. */
const maxLength = 4096;

/** A page that a person may be asked about. */
interface PageToOpen {
  /** ASCII; what is shown is what is opened. */
  readonly url: string;
  /** Its name or address, without a port. */
  readonly hostname: string;
  /** The address in three parts, of which the middle one says where it leads. */
  readonly parts: readonly [before: string, host: string, after: string];
}

/**
 * The page that a server wants opened. Only https is offered, and http on this machine where the server is here, too.
 * @param server Its URL; undefined for a program of this machine.
 * @returns The page, or a clause that says why it is not offered, without a byte of it
 */
export function pageToOpen(raw: string, server: string | undefined): PageToOpen | string {
  const gated = gateUrl(asciiOf(raw), maxLength);
  if (!gated.ok) return gated.problem;
  const { protocol, host, hostname, href } = gated.url;
  const isLocal = server === undefined || (URL.canParse(server) && isHere(new URL(server).hostname));
  if (protocol !== 'https:' && !isHere(hostname)) return 'it is not https';
  if (protocol !== 'https:' && !isLocal) return 'it is not https, and the server is not on this computer';
  const before = `${protocol}//`;
  return { url: href, hostname, parts: [before, host, href.slice(before.length + host.length)] };
}

/** Hosts in other scripts become ASCII; what a browser would leave out of an address or repair in it stays, to be refused. */
function asciiOf(raw: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(raw) || /[\s\p{C}]/u.test(raw.slice(0, maxLength));
  return isPlain || raw.length > maxLength || !URL.canParse(raw) ? raw : new URL(raw).href;
}

/** Is that host this computer? */
const isHere = (hostname: string): boolean => classifyHost(hostname) === 'loopback';

/** How near a host is. Link-local addresses are as near as private ones. */
const nearness = { public: 0, private: 1, forbidden: 1, loopback: 2 } as const;

/** What a person should know before the page is opened: each a sentence. */
export function warningsOf(page: PageToOpen, server: string | undefined, host: DescribedHost): readonly string[] {
  const { hostname } = page;
  const warnings: string[] = [];
  if (host.inLetters !== hostname || /(?:^|\.)xn--/.test(hostname)) {
    const letters = quoted(host.inLetters, 260);
    warnings.push(
      `This host has letters beyond a to z: ${letters} is in truth ${hostname}. Such names can look like others.`,
    );
  }
  const near = (name: string) => nearness[classifyHost(name)];
  if (server !== undefined && near(hostname) > near(new URL(server).hostname)) {
    const where = isHere(hostname) ? 'this computer itself' : 'your own network';
    warnings.push(`The page is on ${where}, and the server is not.`);
  }
  return warnings;
}
