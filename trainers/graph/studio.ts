/** What LangGraph Studio and `langgraph.json` open of this folder: the trainer, whose runs are begun by an input (studio-trainings.ts). */
import { studioTrainings } from "./studio-trainings.ts";
import { createTrainerGraph } from "./trainer.ts";

/** The server makes the graph anew for every run of a thread; what is open stays open between them. */
const trainings = studioTrainings(process.env);

export const trainer = async () => createTrainerGraph(trainings);
