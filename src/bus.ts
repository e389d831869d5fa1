// `arc-supervisor/bus`: messages between agents. Exports only.

export type { Bus, BusListener, Message, RequestOptions } from './bus/bus.ts'
export { MessageBus } from './tasks/service/open-tasks.ts'
