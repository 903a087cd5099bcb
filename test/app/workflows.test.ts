import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { nodeLines } from '../../src/doctor/examine-machine.js';
import { repositoryRoot } from '../support/repository.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly container?: unknown;
  readonly steps?: readonly Step[];
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(repositoryRoot, '.github', 'workflows');
const workflows = await Promise.all(
  (await readdir(folder)).map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return { name, text, workflow: parse(text, { uniqueKeys: true }) as Workflow };
  }),
);
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${name}: ${id}`, job })),
);
const steps = jobs.flatMap(({ name, job }) => (job.steps ?? []).map((step) => ({ name, step })));

test('no workflow may do anything by itself; each job says what it may, and when it ends', () => {
  for (const { name, workflow } of workflows) {
    assert.deepEqual(workflow.permissions, {}, name);
    assert.ok(!('pull_request_target' in workflow.on), name);
  }
  for (const { name, job } of jobs) {
    assert.ok(job.permissions !== undefined, name);
    if (job.uses === undefined) assert.ok(Number(job['timeout-minutes']) > 0, name);
  }
});

test('every action is pinned by its digest, with the release beside it, and is of the host’s own', () => {
  for (const { name, text } of workflows) {
    for (const [, used = ''] of text.matchAll(/uses: (.+)/g)) {
      if (used.startsWith('./')) assert.ok(existsSync(join(repositoryRoot, used)), `${name}: ${used}`);
      else assert.match(used, /^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
    }
  }
});

test('a checkout keeps no token, packages run nothing at their installation, and no command holds what an event says', () => {
  for (const { name, step } of steps) {
    if (step.uses?.startsWith('actions/checkout@')) assert.equal(step.with?.['persist-credentials'], false, name);
    assert.doesNotMatch(step.run ?? '', /\$\{\{/, `${name}: by a variable instead`);
    for (const [command] of (step.run ?? '').matchAll(/npm (?:ci|i|install)\b.*/g))
      assert.match(command, /--ignore-scripts/);
  }
});

test('a package that npm is given lies at a path: without ./ before it, folder/file is a repository of somebody else', () => {
  const given = steps.flatMap(({ name, step }) =>
    [...(step.run ?? '').matchAll(/npm (?:ci|i|install|publish)\b.*?(\S+\.tgz)/g)].map(([, path]) => ({ name, path })),
  );
  assert.deepEqual(
    given.map(({ name }) => name),
    ['release.yml: package', 'release.yml: publish'],
  );
  for (const { name, path } of given) assert.match(path ?? '', /^\.\//, name);
});

test('in a container, whose user the checkout is not of, git is told that it may read it', () => {
  const inContainer = jobs.filter(({ job }) => job.container !== undefined);
  assert.deepEqual(
    inContainer.map(({ name }) => name),
    ['nightly.yml: debian'],
  );
  for (const { name, job } of inContainer) {
    const commands = (job.steps ?? []).map(({ uses = '', run = '' }) => `${uses}\n${run}`);
    const checkout = commands.findIndex((one) => one.startsWith('actions/checkout@'));
    assert.match(commands[checkout + 1] ?? '', /git config --global --add safe\.directory "\$PWD"/, name);
  }
});

test('the Node.js in an executable is one exact release, with every security fix that doctor knows of', () => {
  const used = steps.filter(({ name, step }) => name.startsWith('release.yml') && step.with?.['node-version']);
  assert.equal(used.length, 3);
  for (const { name, step } of used) {
    const version = String(step.with?.['node-version']);
    assert.ok(
      nodeLines.some(({ secure }) => secure === version),
      `${name}: ${version}`,
    );
  }
});

test('the scripts that workflows start are there', async () => {
  const { scripts } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  for (const { name, step } of steps) {
    for (const [, script = ''] of (step.run ?? '').matchAll(/npm run ([\w:]+)/g))
      assert.ok(script in scripts, `${name}: ${script}`);
    for (const [path] of (step.run ?? '').matchAll(/(?<![\w/])\.(?:build|ci)\/[\w.-]+/g)) {
      assert.ok(existsSync(join(repositoryRoot, path)), `${name}: ${path}`);
    }
  }
});

test('what takes long runs every night', () => {
  const nightly = workflows.find(({ name }) => name === 'nightly.yml');
  assert.match(nightly?.text ?? '', /cron: [\s\S]*workflow_call:[\s\S]*\.ci\/run[\s\S]*npm run test:long/);
});
