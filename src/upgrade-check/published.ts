import semver from 'semver';
import { asObject, type JsonObject, parseObject, stringField } from '../core/text/json.js';

/** What npm knows of a package, as far as it is used here. All but the versions is the registry's text. */
export interface Published {
  /** The release that this one is compared with, as semver spells it. */
  readonly version: string;
  /** Where the package says that its source is; undefined where it says nothing. */
  readonly repository: string | undefined;
  /** Versions of Node.js that the newest release runs on; undefined where it says nothing, or nobody can read it. */
  readonly node: string | undefined;
}

const maxLength = 300;

/**
 * The members that were asked of `npm view --json`: `name`, `dist-tags`, `repository`, `engines`. Whoever runs a
 * prerelease is compared with the tag `next`, too. Undefined where it is no such text.
 * @param current The version that runs.
 */
export function readPublished(text: string, current: string): Published | undefined {
  const view = parseObject(text);
  const tags = view && asObject(view['dist-tags']);
  if (view === undefined || tags === undefined) return undefined;
  const isPrerelease = (semver.parse(current)?.prerelease.length ?? 0) > 0;
  const offered = (isPrerelease ? ['latest', 'next'] : ['latest']).flatMap((tag) => versionIn(tags, tag));
  const [newest] = offered.sort((one, other) => semver.compare(other, one));
  if (newest === undefined) return undefined;
  const isLatest = newest === versionIn(tags, 'latest')[0];
  return { version: newest, repository: repositoryIn(view), node: isLatest ? nodeIn(view) : undefined };
}

/** Is one release newer than the other? By semver 2.0.0 section 11: a prerelease comes before its release. */
export function isNewer(version: string, than: string): boolean {
  return semver.compare(version, than) > 0;
}

/** Does this version of Node.js run it? True where nothing is said. */
export function runsOn(node: string, { node: wanted }: Published): boolean {
  return wanted === undefined || semver.satisfies(node, wanted, { includePrerelease: true });
}

/** Why npm has said nothing: the code in what it printed with `--json` (`E404`, `ENOTFOUND`), or on stderr. */
export function npmErrorCode(stdout: string, stderr: string): string | undefined {
  const error = asObject(parseObject(stdout)?.['error']);
  const code = (error && stringField(error, 'code')) ?? /^npm (?:error|ERR!) code (\S+)/m.exec(stderr)?.[1];
  return code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined;
}

/** `git+https://github.com/a/b.git` and `https://github.com/a/b` are one repository; so is `github:a/b`. */
export function sameRepository(one: string, other: string): boolean {
  const plain = (url: string) =>
    url
      .replace(/^git\+/, '')
      .replace(/^(?:github:)?(?=[\w.-]+\/[\w.-]+$)/, 'github.com/') // npm's short form
      .replace(/^[a-z]+:\/\//, '')
      .replace(/^[^@/]*@/, '')
      .replace(/^([^:/]+):(?!\d)/, '$1/') // git@host:path
      .replace(/#.*$/, '')
      .replace(/(?:\.git)?\/*$/, '')
      .toLowerCase();
  return plain(one) === plain(other);
}

function versionIn(tags: JsonObject, tag: string): readonly string[] {
  const version = semver.parse(stringField(tags, tag) ?? '');
  return version === null ? [] : [version.version];
}

function repositoryIn(view: JsonObject): string | undefined {
  const { repository } = view;
  const object = asObject(repository);
  const url = typeof repository === 'string' ? repository : object && stringField(object, 'url');
  return url === undefined || url === '' ? undefined : url.slice(0, maxLength);
}

function nodeIn(view: JsonObject): string | undefined {
  const engines = asObject(view['engines']);
  const node = engines && stringField(engines, 'node');
  // A range is short: the pattern that reads it is not for whatever a registry says.
  return node !== undefined && /^[\w.|<>=^~* -]{1,80}$/.test(node) ? node : undefined;
}
