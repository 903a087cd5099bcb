/** Configuration files as people have them, by program: with comments where the program takes them. */
export const configurations: Readonly<Record<string, readonly string[]>> = {
  claude: [
    '{\n  "numStartups": 12,\n  "mcpServers": {\n    "other": {\n      "type": "stdio",\n      "command": "x"\n    }\n  },\n  "projects": {\n    "/p": { "mcpServers": {} }\n  }\n}',
    '{"numStartups":1}',
    '{}\n',
  ],
  codex: [
    '# my Codex\nmodel = "m" # best\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs"] # [mcp_servers.no]\n\n[mcp_servers.docs.env]\nTOKEN = "t"\n\n[projects."/p"]\ntrust_level = "trusted"\n# the end\n',
    'model = "m"',
  ],
  'claude-desktop': ['{\n    "globalShortcut": "",\n    "mcpServers": {}\n}\n'],
  cursor: ['{\n\t"mcpServers": {\n\t\t"a": { "url": "https://a.example" }\n\t}\n}\n'],
  vscode: [
    '{\n  // Servers of mine\n  "inputs": [],\n  "servers": {\n    "a": { "type": "http", "url": "https://a.example" }, // keep\n  },\n}\n',
  ],
  gemini: ['{\n  "theme": "Default", /* dark */\n  "mcpServers": { "a": { "command": "x" } }\n}\n'],
  opencode: ['{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {}\n}\n', '// empty\n{\n}\n'],
  zed: [
    '// Zed settings\n//\n// see the documentation\n{\n  "vim_mode": true,\n  "languages": {\n    "C": { "tab_size": 8 }, // wide\n  },\n}\n',
  ],
  'lm-studio': ['{\n  "mcpServers": {\n    "a": {\n      "url": "https://a.example/mcp"\n    }\n  }\n}\n'],
  'vscode-insiders': ['{\n\t"servers": {}\n}\n'],
  vscodium: ['{ "servers": { "a": { "type": "http", "url": "https://a.example" } } }'],
  'cline-vscode': ['{\n  "mcpServers": {\n    "a": { "command": "x", "disabled": false, "autoApprove": [] }\n  }\n}\n'],
  devin: ['{\n  "mcpServers": {\n    "a": { "serverUrl": "https://a.example" }\n  }\n}\n'],
  'devin-cli': ['// mine\n{\n  "agent": { "model": "m" }, // fast\n  "permissions": { "allow": ["Exec(git)"] }\n}\n'],
  antigravity: ['{\n  "mcpServers": {}\n}'],
  kiro: [
    '{\n  "mcpServers": {\n    "a": { "url": "https://a.example", "disabled": true, "autoApprove": ["x"] }\n  }\n}\n',
  ],
  junie: ['{\n  "mcpServers": {\n  }\n}\n'],
  warp: ['{"mcpServers":{"a":{"command":"x","args":[],"working_directory":"/a"}}}\n'],
  copilot: [
    '{\n  "mcpServers": {\n    "a": {\n      "tools": [\n        "*"\n      ],\n      "type": "local",\n      "command": "x",\n      "args": []\n    }\n  }\n}\n',
  ],
  qwen: ['{\n  "$version": 4,\n  "mcpServers": { "a": { "httpUrl": "https://a.example" } }\n}\n'],
  kilo: ['{\n  // Kilo\n  "mcp": {\n    "a": { "type": "local", "command": ["x"], },\n  },\n}\n'],
  cline: [
    '{\n  "mcpServers": {\n    "a": {\n      "transport": {\n        "type": "stdio",\n        "command": "x"\n      }\n    }\n  }\n}\n',
  ],
  droid: [
    '{\n  "mcpServers": {\n    "a": {\n      "type": "http",\n      "url": "https://a.example",\n      "disabled": false\n    }\n  }\n}',
  ],
  grok: [
    '# Grok\n[models]\ndefault = "m" # best\n\n[mcp_servers.a]\ncommand = "x"\nargs = [\n    "a", # one\n    "b",\n]\nenabled = true\n\n[mcp_servers.a.env]\nA = "b"\n',
    'disabled_mcp_servers = ["b"]',
  ],
  kimi: ['{\n  "mcpServers": {\n    "a": { "url": "https://a.example", "bearerTokenEnvVar": "A" }\n  }\n}\n'],
  amp: [
    '{\n  "amp.notifications.enabled": false, // quiet\n  "amp.mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n',
    '{}',
  ],
  goose: [
    '# mine\nactive_provider: anthropic\nextensions:\n  developer: # keep\n    enabled: true\n    type: builtin\n    name: developer\n\n  # Files\n  files:\n    enabled: true\n    type: stdio\n    name: files\n    cmd: npx\n    args:\n    - -y\n    - x\n    envs: {}\nGOOSE_MODE: auto # end\n',
    'extensions: {}\nGOOSE_MODE: auto\n',
    'GOOSE_MODE: auto',
    '---\nextensions:\nGOOSE_MODE: auto\n',
  ],
  windsurf: ['{"mcpServers": {"a": {"command": "x", "args": []}}}'],
  git: [
    '# mine\n[user]\n\tname = A B ; me\n\temail = a@example.com\n[credential]\n\thelper = cache --timeout=900\n[url "git@example.com:"]\n\tinsteadOf = https://example.com/\n',
    '[core]\n    editor = vi',
  ],
  kubectl: [
    'apiVersion: v1\nclusters:\n- cluster:\n    server: https://k.example:6443\n  name: k\ncontexts:\n- context:\n    cluster: k\n    user: me\n  name: k\ncurrent-context: k\nkind: Config\npreferences: {}\nusers:\n- name: me # the only one\n  user:\n    client-certificate-data: QQ==\n    client-key-data: QQ==\n',
    'apiVersion: v1\nkind: Config\nusers:\n  - name: a\n    user: {token: x}\n\n# more\ncontexts: null\n',
  ],
  go: ['GOFLAGS=-mod=mod\nGOAUTH=netrc; git /home/a\nGOPROXY=direct\n', '# by go env -w\nGONOSUMDB=a\n'],
};
