import Vitrine
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let job = Command(
        name: "job", summary: "Divides a reconstruction into tasks for many processes or machines.",
        help: { JobHelp.help },
        run: { arguments in throw JobHelp.unknownCommand(arguments[0]) }, subcommands: [.jobPlan, .jobRun, .jobStatus],
        relatedWords: ["cluster", "slurm", "snakemake", "batch"])

    static let jobPlan = Command(
        name: "job plan", summary: "Makes a job's folder: copies the photos, writes the plan and a workflow for Snakemake.",
        help: {
            JobPlanSettings.table.help(command: "job plan", summary: JobPlanSettings.summary, examples: JobPlanSettings.examples)
        },
        run: { arguments in
            var settings = JobPlanSettings()
            let photos = try JobPlanSettings.table.parse(arguments, into: &settings)[0]
            try JobCreation(photos: photos, settings: settings, arguments: arguments).run()
        })

    static let jobRun = Command(
        name: "job run", summary: "Runs a task of a job.",
        help: {
            JobRunSettings.table.help(
                command: "job run",
                summary:
                    "Runs a task whose needed tasks are done, and writes done/TASK.json. A task that was killed continues from the results that it has; a task that is done only checks them.",
                examples: ["vitrine job run job photos-0", "vitrine job run job write"],
                notes: "Exit codes: 0 the task is done, 1 failed or stopped, 2 invalid command line.")
        },
        run: { arguments in
            var settings = JobRunSettings()
            let operands = try JobRunSettings.table.parse(arguments, into: &settings)
            try await JobTaskRun(try LoadedJob(operands[0]), task: operands[1]).run()
        })

    static let jobStatus = Command(
        name: "job status", summary: "Prints the tasks of a job that are done, ready and waiting.",
        help: {
            JobStatusSettings.table.help(
                command: "job status", summary: "Prints the number of finished tasks of each kind, and the tasks that can run now.",
                examples: ["vitrine job status job", "vitrine job status job --ready", "vitrine job status job --json"])
        },
        run: { arguments in
            var settings = JobStatusSettings()
            let folder = try JobStatusSettings.table.parse(arguments, into: &settings)[0]
            try JobStatus(try LoadedJob(folder)).print(settings)
        })
}

private enum JobHelp {
    static func unknownCommand(_ word: String) -> UsageError {
        UsageError("unknown command 'job \(word)'" + Command.suggestion(for: word, among: Command.job.subcommands, parent: "job"))
    }

    static var help: CommandHelp {
        CommandHelp(
            usage: "vitrine job COMMAND [options]",
            summary:
                "A job is a folder with photos, a plan of tasks and their results. Any program that runs tasks after those that they need may drive it; the job has a workflow for Snakemake.",
            examples: [
                "vitrine job plan photos -o job --model vase.glb", "snakemake --directory job --snakefile job/Snakefile --cores 2",
                "vitrine job status job",
            ], sections: [Command.list(Command.job.subcommands)],
            notes: "Run 'vitrine job COMMAND --help' for the options of a command. docs/guide/cluster.md describes jobs.")
    }
}

struct JobRunSettings {
    static let table = ArgumentTable<JobRunSettings>(operands: ["JOB", "TASK"], options: [])
}

struct JobStatusSettings {
    var isJSON = false
    var listsReady = false

    static let table = ArgumentTable<JobStatusSettings>(
        operands: ["JOB"],
        options: [
            CommandOption("--ready", help: "Prints only the names of the tasks that can run now, one a line.") { $0.listsReady = true },
            CommandOption("--json", help: "Prints the state of each task as JSON.") { $0.isJSON = true },
        ])
}

/// The options of `vitrine job plan`.
struct JobPlanSettings: Sendable {
    var folder: String?
    var models: [String] = []
    var photosPerBlock: Int?
    var pairBlocks: Int?
    var groupSeconds = 60
    var reconstruct = ReconstructSettings()

    static let summary =
        "Divides the reconstruction of a folder of photos into tasks. The options are those of 'vitrine reconstruct'; paths of outputs are relative to the folder 'outputs' of the job. The job's folder may be moved: it has a copy of the photos (a link on the same disk), and relative paths only."
    static let examples = [
        "vitrine job plan photos -o job --model vase.glb",
        "vitrine job plan photos -o job --model vase.usdz --detail medium --report vase.html",
    ]

    /// Options of the plan itself, and of `vitrine reconstruct` that a job has no use for.
    static let ownOptions: Set = ["-o", "--output", "--model", "--photos-per-task", "--pair-tasks", "--group-seconds"]
    private static let excluded: Set = ["-o", "--checkpoint", "--json", "--batch", "--summary", "--frames", "--time"]

    static var table: ArgumentTable<JobPlanSettings> {
        let own: [CommandOption<JobPlanSettings>] = [
            CommandOption("-o", "--output", value: "DIR", help: "The job's folder: a new or an empty one.") {
                (settings, text) throws(UsageError) in settings.folder = text
            },
            CommandOption(
                "--model", value: "OUT", help: "The model to write, in the job's folder 'outputs'. Repeatable. Default: model.glb."
            ) {
                (settings, text) throws(UsageError) in settings.models.append(text)
            },
            CommandOption(
                "--photos-per-task", value: "N", help: "Photos of a task. Default: 8, or more so that there are at most 50 tasks of a kind."
            ) { (settings, text) throws(UsageError) in settings.photosPerBlock = try parseCount(text, in: 1...1000) },
            CommandOption(
                "--pair-tasks", value: "N", help: "The number of tasks that match photos. Default: one for 400 pairs, at most 100."
            ) {
                (settings, text) throws(UsageError) in settings.pairBlocks = try parseCount(text, in: 1...10_000)
            },
            CommandOption(
                "--group-seconds", value: "N",
                help: "Engines start one process for small tasks that take about N seconds together; 0: for each task. Default: 60."
            ) { (settings, text) throws(UsageError) in settings.groupSeconds = try parseCount(text, in: 0...100_000) },
        ]
        let others = ReconstructSettings.table.sections.map { section -> OptionSection<JobPlanSettings> in
            let options: [CommandOption<JobPlanSettings>] = section.options.filter { excluded.isDisjoint(with: $0.names) }
                .map { $0.within(\.reconstruct) }
            return OptionSection(section.title, options)
        }
        return ArgumentTable(operands: ["PHOTOS"], sections: [OptionSection("job", own)] + others)
    }

    /// Checks the combination of options.
    ///
    /// - Throws: `UsageError` if an option is missing or a path leaves the job's folder.
    func validate() throws(UsageError) {
        guard folder != nil else { throw UsageError("-o DIR is missing: name the job's folder") }
        var whole = reconstruct
        whole.outputs = models.isEmpty ? ["model.glb"] : models
        for path in whole.writtenPaths where path.hasPrefix("/") || path.split(separator: "/").contains("..") || path.contains("/") {
            throw UsageError("'\(path)': outputs of a job have names without folders: they lie in its folder 'outputs'")
        }
        try whole.validate()
    }
}
