import type { CommandExit } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { printable, shellWord } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import type { DocumentArguments } from './client-metadata.options.js';
import { readDocument } from './documents.js';
import { documentHeaders, otherHeaders } from './hosted-folder.js';
import type { ClientMetadataWorld } from './ports.js';
import { changedSettings } from './settings.js';

/** `client-metadata serve`: the folder over https on loopback, until the program is told to end. */
export async function serve(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const there = await readDocument(world, args.target);
  const { url } = changedSettings(there, { url: undefined, name: undefined, contact: undefined });
  const own = new URL(url);
  const isLocal = ['127.0.0.1', 'localhost'].includes(own.hostname);
  const port = args.port ?? (isLocal ? Number(own.port) : 0);
  const { folder, path } = there;
  const base = own.pathname.slice(0, own.pathname.lastIndexOf('/') + 1);
  const page = { path: `${folder}/index.html`, headers: typed('text/html; charset=utf-8') };
  const site = new Map([
    [own.pathname, { path, headers: documentHeaders }],
    [base, page],
    [`${base}index.html`, page],
    [`${base}logo.svg`, { path: `${folder}/logo.svg`, headers: typed('image/svg+xml') }],
  ]);
  await using server = await world.documentServers.serve({ port, tls: readTls(args), site });
  const host = isLocal ? own.hostname : '127.0.0.1';
  const served = `https://${host}:${server.port}${own.pathname}`;
  await tellPlace(world, { url: served, certificateFile: server.certificateFile });
  if (served !== url) {
    world.tell(`Note: the document is made for ${printable(url)}, and counts at no other address. For this one:`);
    world.tell(`  postern client-metadata build ${shellWord(path)} --url ${served} --out DIR`);
  }
  world.tell('Ctrl-C ends it.');
  await ended(world.signal);
  return exitCode.interrupted;
}

function typed(type: string) {
  return [['Content-Type', type] as const, ...otherHeaders];
}

/** @throws Failure `usage_wrong` */
function readTls({ tlsCert, tlsKey, selfSigned }: DocumentArguments) {
  const help = 'postern client-metadata --help';
  if (selfSigned && tlsCert === undefined && tlsKey === undefined) return 'self-signed';
  if (selfSigned || tlsCert === undefined || tlsKey === undefined) {
    throw usageWrong('serve needs either --self-signed, or --tls-cert FILE and --tls-key FILE.', help);
  }
  return { certFile: tlsCert, keyFile: tlsKey };
}

async function tellPlace(
  world: ClientMetadataWorld,
  place: { readonly url: string; readonly certificateFile: string | undefined },
): Promise<void> {
  const { url, certificateFile } = place;
  if (world.json) await world.out.json({ url, certificate: certificateFile ?? null });
  else await world.out.line(url);
  if (certificateFile === undefined) return;
  const trust = `POSTERN_CA_FILE=${shellWord(certificateFile)}`;
  world.tell(`Its certificate, for as long as this runs: ${printable(certificateFile)}`);
  world.tell(`Check it:  ${trust} postern client-metadata check ${shellWord(url)}`);
  const allow = `--allow-client-documents-from ${new URL(url).host}`;
  world.tell(`Try it:    postern sandbox ${allow} --client-documents-ca ${shellWord(certificateFile)}`);
  world.tell(`           postern login http://127.0.0.1:…/mcp --client-metadata-url ${shellWord(url)}`);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
