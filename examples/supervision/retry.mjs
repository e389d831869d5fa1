// Runs an agent again while the pipeline flags or blocks its answer.
import { defaultPipeline, runWithRetry } from 'arc-supervisor'

const log = (line) => console.log(line.split(' (')[0])

const result = await runWithRetry({
  pipeline: defaultPipeline,
  maxAttempts: 3,
  onRetry: (attempt, reason) => {
    log(`Retry ${attempt}: ${reason}`);
  },
});
// The default mode is log: verdicts are recorded and not applied.
console.log('log:', result.attempts, 'attempt')

const answers = ['It failed with an error.', 'Done.']
const { attempts, output } = await runWithRetry({
  pipeline: defaultPipeline({ enforcement: 'enforce' }),
  maxAttempts: 3,
  onRetry: (attempt, reason) => log(`Retry ${attempt}: ${reason}`),
  execute: (_feedback, attempt) => answers[attempt - 1],
})
console.log(`enforce: ${attempts} attempts, ${output}`)
