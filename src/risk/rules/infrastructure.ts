// A table: exempt from the file length limit.
// Infrastructure as code: what plans only looks, what applies changes, what destroys.

import { type Call, findOption, optionValue } from '../call.ts'
import type { RulePack, TestResult } from '../rule.ts'
import { always, type Condition, operand, operandAt, option, subcommand, testByProgram } from '../rule-rows.ts'

const TERRAFORM = 'terraform tofu terragrunt tf'
const PLAN = 'terraform plan -destroy shows what would be destroyed.'

export const infrastructure: RulePack = {
  name: 'infrastructure',
  about: 'Terraform, Pulumi, CDK, Ansible and similar tools.',
  rules: [
    {
      id: 'infrastructure/terraform-destroy',
      effect: 'destructive',
      tier: 5,
      reason: 'Destroys the infrastructure that Terraform manages.',
      alternative: PLAN,
      owasp: 'ASI02',
      when: { program: TERRAFORM, test: terraformDestroys },
      match: [
        'terraform destroy',
        'terraform -chdir=prod destroy -auto-approve',
        'tofu apply -destroy',
        'terragrunt run-all destroy',
        'terragrunt run --all destroy',
        'terraform apply --destroy',
        'terragrunt destroy-all',
      ],
      pass: [
        'terraform plan -destroy',
        'terraform plan',
        'terraform destroy -help',
        'terraform validate',
        'terraform show destroy',
        'terraform fmt',
      ],
    },
    {
      id: 'infrastructure/terraform-state',
      effect: 'destructive',
      tier: 4,
      reason: 'Changes the Terraform state. Resources can become unmanaged.',
      alternative: 'terraform state list and show are read-only. terraform state pull keeps a copy.',
      owasp: 'ASI02',
      when: {
        program: TERRAFORM,
        sub: ['state rm|push|replace-provider', 'workspace delete', 'force-unlock', 'taint', 'untaint', 'state mv'],
        test: (call) =>
          ['taint', 'untaint', 'force-unlock'].includes(call.operands[0]?.text ?? '') || call.operands[1]?.text === 'mv'
            ? { at: call.command.span, isUncertain: true }
            : (call.operands[1] ?? true),
      },
      match: [
        'terraform state rm aws_instance.a',
        'terraform workspace delete prod',
        'terraform force-unlock 1',
        'terraform taint a.b',
      ],
      pass: ['terraform state list', 'terraform workspace list', 'terraform state show a.b'],
    },
    {
      id: 'infrastructure/terraform-apply',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes real infrastructure.',
      alternative: 'terraform plan shows what would change.',
      owasp: 'ASI02',
      when: {
        program: TERRAFORM,
        sub: ['apply', 'run-all|run apply', 'import', 'refresh', 'apply-all'],
        test: (call) => (findOption(call, ['--destroy']) !== undefined ? undefined : call.operands[0]),
      },
      match: ['terraform apply', 'tofu apply plan.out', 'terragrunt run-all apply'],
      pass: ['terraform plan', 'terraform init', 'terraform apply -help', 'terraform output'],
    },
    {
      id: 'infrastructure/stack-destroy',
      effect: 'destructive',
      tier: 5,
      reason: 'Destroys a whole stack.',
      alternative: 'pulumi preview or cdk diff shows what would change.',
      owasp: 'ASI02',
      when: {
        program: 'pulumi cdk cdktf sst serverless sls sam copilot amplify eb crossplane nitric chalice zappa up',
        test: destroysStack,
      },
      match: [
        'pulumi destroy --yes',
        'cdk destroy --all',
        'serverless remove --stage prod',
        'sls remove',
        'sam delete --no-prompts',
        'eb terminate env',
        'amplify delete',
        'pulumi stack rm prod --force',
        'sst remove --stage prod',
        'pulumi state delete x',
      ],
      pass: [
        'pulumi preview',
        'cdk diff',
        'cdk synth',
        'serverless info',
        'pulumi stack ls',
        'pulumi destroy --preview-only',
      ],
    },
    {
      id: 'infrastructure/stack-deploy',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Deploys a stack: changes real infrastructure.',
      alternative: 'pulumi preview or cdk diff shows what would change.',
      owasp: 'ASI02',
      when: {
        program: 'pulumi cdk cdktf sst serverless sls sam copilot amplify eb nitric chalice zappa',
        sub: ['up|deploy|publish|push|rollback|bootstrap|update', '* deploy'],
      },
      match: ['pulumi up', 'cdk deploy', 'sls deploy', 'copilot svc deploy', 'eb deploy'],
      pass: ['cdk diff', 'pulumi preview', 'sam build'],
    },
    {
      id: 'infrastructure/ansible',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes other machines.',
      alternative: 'ansible-playbook --check --diff shows what would change.',
      owasp: 'ASI02',
      when: {
        program: 'ansible ansible-playbook salt salt-ssh puppet chef-client knife',
        test: (call) => managesMachines(call),
      },
      match: [
        'ansible-playbook site.yml',
        'ansible all -m shell -a "rm -rf /data"',
        'ansible web -m file -a "path=/data state=absent"',
        "salt '*' cmd.run 'rm -rf /data'",
        'knife node delete web1 -y',
        'puppet apply x.pp',
      ],
      pass: [
        'ansible-playbook --check site.yml',
        'ansible all -m ping',
        'ansible-playbook --list-tasks x.yml',
        'ansible all -m setup',
        'ansible-playbook --syntax-check x.yml',
        'knife node list',
        "salt '*' test.ping",
        'puppet apply --noop x.pp',
      ],
    },
    {
      id: 'infrastructure/vagrant',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a virtual machine.',
      owasp: 'ASI02',
      when: {
        program: 'vagrant virsh VBoxManage multipass lxc incus qm pct limactl prlctl govc vmrun nomad packer consul',
        test: deletesMachine,
      },
      match: [
        'vagrant destroy -f',
        'virsh undefine vm --remove-all-storage',
        'VBoxManage unregistervm x --delete',
        'multipass delete x --purge',
        'lxc delete c --force',
        'qm destroy 100',
        'govc vm.destroy x',
        'nomad job stop -purge api',
        'consul kv delete -recurse app/',
      ],
      pass: [
        'vagrant status',
        'virsh list',
        'lxc list',
        'qm list',
        'nomad job status',
        'consul kv get x',
        'vagrant halt',
      ],
    },
  ],
}

function terraformDestroys(call: Call): TestResult {
  const [first, second] = call.operands
  const flag = first?.text === 'apply' || second?.text === 'apply' ? findOption(call, ['--destroy']) : undefined
  if (flag !== undefined) return flag.word
  if (first?.text === 'destroy' || first?.text === 'destroy-all') return first
  const isEverywhere = first?.text === 'run-all' || first?.text === 'run' || first?.text === 'stack'
  return isEverywhere ? call.operands.slice(1, 4).find(({ text }) => text === 'destroy') : undefined
}

const STACK_VERBS: Readonly<Record<string, readonly string[]>> = {
  pulumi: ['destroy', 'down'],
  cdk: ['destroy', 'gc'],
  cdktf: ['destroy'],
  sst: ['remove'],
  serverless: ['remove'],
  sls: ['remove'],
  sam: ['delete'],
  copilot: ['delete'],
  amplify: ['delete', 'remove'],
  eb: ['terminate'],
  chalice: ['delete'],
  zappa: ['undeploy'],
}

function destroysStack(call: Call): TestResult {
  const [first, second] = call.operands
  const verbs = STACK_VERBS[call.name] ?? ['destroy', 'delete', 'down']
  if (
    call.name === 'pulumi' &&
    ((first?.text === 'stack' && second?.text === 'rm') || (first?.text === 'state' && second?.text === 'delete'))
  )
    return { at: (second ?? call.command).span, tier: 4 }
  if (first !== undefined && verbs.includes(first.text)) return first
  return call.name === 'copilot' && second?.text === 'delete' ? second : undefined
}

const SAFE_MODULES = new Set(['ping', 'setup', 'debug', 'gather_facts', 'stat', 'find', 'slurp'])

const anyOperand =
  (pattern: RegExp): Condition =>
  ({ operands }) =>
    operands.some(({ text }) => pattern.test(text))

function readModule(call: Call): string {
  return optionValue(call, ['-m', '--module-name']) ?? 'command'
}

const removesByAnsible: Condition = (call) =>
  readModule(call) === 'reboot' || /state=absent|rm -|reboot/.test(optionValue(call, ['-a', '--args']) ?? '')

const managesMachines = testByProgram(
  {
    ansible: [
      [(call) => SAFE_MODULES.has(readModule(call)), 'pass'],
      [removesByAnsible, { effect: 'destructive' }],
      [always, { tier: 3 }],
    ],
    'ansible-playbook': [[always, operandAt(0)]],
    'salt salt-ssh': [
      [anyOperand(/^(?:test|grains|status)\./), 'pass'],
      [anyOperand(/rm |remove|absent/), { effect: 'destructive' }],
      [always, { tier: 3 }],
    ],
    knife: [[operand('delete'), { effect: 'destructive' }]],
    'chef-client': [
      [option('--noop', '--why-run', '-W'), 'pass'],
      [always, 'hit'],
    ],
  },
  [
    [option('--noop', '--why-run', '-W'), 'pass'],
    [subcommand('apply'), 'hit'],
  ],
)

const MACHINE_VERBS = new Set([
  'destroy',
  'delete',
  'undefine',
  'unregistervm',
  'purge',
  'deleteVM',
  'vm.destroy',
  'rm',
  'remove',
  'datastore.rm',
])

function deletesMachine(call: Call): TestResult {
  const verb = call.operands.slice(0, 2).find(({ text }) => MACHINE_VERBS.has(text))
  if (call.name === 'nomad' && call.operands[1]?.text === 'stop' && findOption(call, ['--purge']) !== undefined)
    return call.operands[1]
  return verb
}
