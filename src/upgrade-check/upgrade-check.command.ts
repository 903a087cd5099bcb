import type { Command, CommandOutput } from '../core/command.js';
import type { Progress } from '../core/ports.js';
import { printable, quoted } from '../core/text/printable.js';
import { askNpm, type NpmWorld } from './ask-npm.js';
import { findInstallation, type InstallationWorld, upgradeCommand } from './installation.js';
import { isNewer, type Published, runsOn, sameRepository } from './published.js';
import { upgradeCheckTable } from './upgrade-check.options.js';

/** What this release says of itself. */
export interface OwnRelease {
  readonly name: string;
  readonly version: string;
  /** Where its source is; undefined where nobody has said so. */
  readonly repository: string | undefined;
}

export interface UpgradeWorld extends Pick<CommandOutput, 'out' | 'json' | 'signal'> {
  readonly progress: Progress;
  readonly release: OwnRelease;
  readonly upgrades: () => Promise<NpmWorld & InstallationWorld & { readonly nodeVersion: string }>;
}

export const command: Command<typeof upgradeCheckTable, UpgradeWorld> = {
  table: upgradeCheckTable,
  async run(world) {
    const { out, json, release, progress, signal } = world;
    const machine = await world.upgrades();
    progress.begin('asking npm for the newest release');
    const published = await askNpm(machine, release, signal);
    progress.end();
    const found = findInstallation(machine);
    const isOther = published !== undefined && isAnother(release, published);
    const newer = published === undefined || isOther ? false : isNewer(published.version, release.version);
    const upgrade = newer && published ? upgradeCommand(found, release.name, published.version) : undefined;
    if (json) {
      await out.json({
        version: release.version,
        latest: published === undefined || isOther ? null : published.version,
        newer,
        published: published !== undefined && !isOther,
        installedBy: found.by,
        upgrade: upgrade ?? null,
        repository: published?.repository ?? null,
        node: newer ? (published?.node ?? null) : null,
      });
      return 0;
    }
    if (published === undefined) await out.line(unpublished(release));
    else if (isOther) await out.line(another(release, published));
    else if (!newer) await out.line(`This is postern ${release.version}, the newest release.`);
    else await out.line(newerLines(release, published, { upgrade, node: machine.nodeVersion, found }).join('\n'));
    return 0;
  },
};

function isAnother({ repository }: OwnRelease, published: Published): boolean {
  if (repository === undefined) return false;
  return published.repository === undefined || !sameRepository(repository, published.repository);
}

function unpublished({ name, version }: OwnRelease): string {
  return `This is postern ${version}. npm knows no package ${quoted(name)}: no release was published there.`;
}

function another({ name, version }: OwnRelease, { repository }: Published): string {
  const from = repository === undefined ? 'does not say where it comes from' : `is from ${quoted(repository, 200)}`;
  return `This is postern ${version}. npm’s package ${quoted(name)} ${from}: it is not this program, so do not install it.`;
}

interface Upgrade {
  readonly upgrade: string | undefined;
  readonly node: string;
  readonly found: ReturnType<typeof findInstallation>;
}

function newerLines(own: OwnRelease, published: Published, { upgrade, node, found }: Upgrade): readonly string[] {
  const { version, repository } = published;
  const isOwnNode = !['single-executable', 'debian-package'].includes(found.by);
  return [
    `postern ${version} is out; this is ${own.version}.`,
    upgrade === undefined ? byHand(found.by, own.repository) : `To have it, run: ${upgrade}`,
    ...(isOwnNode && !runsOn(node, published)
      ? [`It needs Node.js ${printable(published.node ?? '', 80)}; this is ${node}.`]
      : []),
    ...(own.repository === undefined && repository !== undefined
      ? [`npm’s package says that it is from ${quoted(repository, 200)}: is that where you got this one from?`]
      : []),
  ];
}

function byHand(by: string, repository: string | undefined): string {
  const from = repository === undefined ? 'where you got this one from' : `${printable(repository, 200)}/releases`;
  return by === 'debian-package'
    ? `To have it, fetch its .deb from ${from}, then: sudo apt install ./postern_*.deb`
    : `To have it, fetch it from ${from} and put it where this one is.`;
}
