#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A task of a job: a part of a reconstruction that one process does.
package struct JobTask: Codable, Equatable, Sendable {
    /// The kinds of tasks, with the names that tasks and plans use.
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// Reads a block of photos.
        case photos
        /// Learns the background that all photos share.
        case background
        /// Detects the features of a block of photos.
        case features
        /// Selects the pairs to match.
        case pairs
        /// Matches a block of pairs.
        case matches
        /// Joins the matches and divides the photos into submaps, if there are many.
        case submaps
        /// Reconstructs the cameras of a submap.
        case submap
        /// Joins the matches unless that is done; reconstructs the cameras, or merges those of the submaps; segments the object.
        case cameras
        /// Undistorts a block of photos.
        case views
        /// Estimates the depth of a block of photos, the first pass.
        case depthFirst = "depth-first"
        /// The second pass.
        case depth
        /// Fuses the depth maps of a block of space, of many photos.
        case fusion
        /// Fuses the depth maps, or joins the blocks.
        case points
        /// Reconstructs the surface of a model.
        case surface
        /// Selects the photos of each triangle, if the model's texture is large.
        case texturePlan = "texture-plan"
        /// Paints a page of such a texture.
        case texturePage = "texture-page"
        /// Textures a model, or joins the pages.
        case texture
        /// Writes all outputs.
        case write
    }

    /// The name of the task, such as "features-3", and of the file that marks it as done.
    package let name: String
    package let kind: Kind
    /// The number of the block, or of the model, from 0.
    package let block: Int
    /// The names of the tasks that must be done before this one.
    package let needs: [String]
    /// Files that the task reads, in addition to the outputs of the tasks before it; relative to the job's folder. `*` matches any text.
    package let inputs: [String]
    /// Files that the task writes, relative to the job's folder. `*` matches any text.
    package let outputs: [String]
    /// The estimated duration with `threads` threads.
    package let seconds: Double
    package let memoryMb: Int
    package let threads: Int
    /// The number of GPUs, 0 or 1.
    package let gpus: Int
}

extension JobTask {
    /// Tasks that an engine runs one after the other with one start: starting costs some engines more than a small task.
    package struct Group: Codable, Equatable, Sendable {
        /// The names, in the order in which they run.
        package let tasks: [String]
        /// The tasks of other groups that must be done before.
        package let needs: [String]
        /// The estimated duration of all tasks of the group.
        package let seconds: Double
        /// The memory, in megabytes, of the task that needs most.
        package let memoryMb: Int
        package let threads: Int
        /// The number of GPUs, 0 or 1.
        package let gpus: Int
    }

    /// Groups tasks until a group takes at least some seconds. Tasks beside which no others can run continue the group before them.
    ///
    /// - Parameters:
    ///   - tasks: In the order of a plan: tasks of one kind follow each other and need the same tasks.
    ///   - seconds: 0: each task is a group.
    package static func groups(_ tasks: [JobTask], seconds: Double) -> [Group] {
        var groups: [ArraySlice<JobTask>] = []
        var isChain = false
        var start = 0
        while start < tasks.count {
            let end = tasks[start...].firstIndex { $0.kind != tasks[start].kind } ?? tasks.count
            let (all, total) = (end - start, tasks[start..<end].reduce(0) { $0 + $1.seconds })
            let count = seconds > 0 ? min(all, max(1, Int(total / seconds))) : all
            if count == 1, seconds > 0, isChain, let last = groups.popLast() {
                groups.append(tasks[last.startIndex..<end])
            } else {
                for part in 0..<count { groups.append(tasks[start + all * part / count..<start + all * (part + 1) / count]) }
            }
            isChain = count == 1
            start = end
        }
        return groups.map { group in
            var known = Set(group.map(\.name))
            return Group(
                tasks: group.map(\.name), needs: group.flatMap(\.needs).filter { known.insert($0).inserted },
                seconds: (group.reduce(0) { $0 + $1.seconds } * 10).rounded() / 10, memoryMb: group.map(\.memoryMb).max() ?? 0,
                threads: group.map(\.threads).max() ?? 1, gpus: group.map(\.gpus).max() ?? 0)
        }
    }
}

/// The tasks of a reconstruction and its settings: the file `plan.json` of a job's folder. All paths are relative to that folder.
package struct JobPlan: Codable, Equatable, Sendable {
    package static let currentVersion = 3

    package var version = JobPlan.currentVersion
    /// The version of the program that made the plan.
    package let program: String
    /// The models to write, in the folder `outputs`.
    package let models: [String]
    /// Options of `vitrine reconstruct`.
    package let options: [String]
    /// The number of files that may be photos.
    package let photos: Int
    /// The photos of a block.
    package let photosPerBlock: Int
    /// The number of blocks of pairs.
    package let pairBlocks: Int
    package let tasks: [JobTask]
    /// The groups of tasks that workflow engines start; together they contain all tasks.
    package let groups: [JobTask.Group]

    package var photoBlocks: Int { max(1, (photos + photosPerBlock - 1) / photosPerBlock) }
}

/// The files of a job.
package struct JobFolder: Sendable {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    package var plan: URL { url.appendingPathComponent("plan.json") }
    package var inputs: URL { url.appendingPathComponent("inputs") }
    package var photos: URL { inputs.appendingPathComponent("photos") }
    package var results: URL { url.appendingPathComponent("results") }
    package var outputs: URL { url.appendingPathComponent("outputs") }
    package var done: URL { url.appendingPathComponent("done") }
    package var workflow: URL { url.appendingPathComponent("Snakefile") }

    /// Marks a task as done.
    package func marker(_ task: String) -> URL { done.appendingPathComponent(task + ".json") }
}
