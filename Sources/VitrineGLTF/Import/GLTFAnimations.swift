import VitrineScene

/// An animation of the file, with its targets as node indices.
struct GLTFAnimation {
    let name: String
    let channels: [Channel]

    struct Channel {
        let json: JSONValue
        let node: Int
        let target: AnimationTarget
        let sampler: Sampler
    }

    struct Sampler {
        let interpolation: Interpolation
        let times: [Float]
        let values: [Float]
    }
}

/// Reads animations.
struct GLTFAnimations {
    private let context: GLTFContext
    private let accessors: GLTFAccessors
    private let meshes: GLTFMeshes
    private let nodes: GLTFNodes

    private init(_ accessors: GLTFAccessors, _ meshes: GLTFMeshes, _ nodes: GLTFNodes, _ context: GLTFContext) {
        (self.accessors, self.meshes, self.nodes, self.context) = (accessors, meshes, nodes, context)
    }

    static func read(
        _ root: GLTFRoot, _ accessors: GLTFAccessors, _ meshes: GLTFMeshes, _ nodes: GLTFNodes, _ context: GLTFContext
    ) throws(GLTFError) -> [GLTFAnimation] {
        let reader = GLTFAnimations(accessors, meshes, nodes, context)
        var animations: [GLTFAnimation] = []
        for json in root.animations { animations.append(try reader.animation(json)) }
        return animations
    }

    private func animation(_ json: JSONValue) throws(GLTFError) -> GLTFAnimation {
        var samplers: [GLTFAnimation.Sampler] = []
        for sampler in try JSONList(json, "samplers") { samplers.append(try self.sampler(sampler)) }
        var channels: [GLTFAnimation.Channel] = []
        for channel in try JSONList(json, "channels") {
            if let channel = try self.channel(channel, samplers) { channels.append(channel) }
        }
        return GLTFAnimation(name: try json.string("name") ?? "", channels: channels)
    }

    private func sampler(_ json: JSONValue) throws(GLTFError) -> GLTFAnimation.Sampler {
        let input = try json.requireIndex("input", below: accessors.count)
        let output = try json.requireIndex("output", below: accessors.count)
        guard accessors[input].shape == .scalar, accessors[input].type == .float32 else {
            throw json.failure("input", "the accessor must be SCALAR of floats")
        }
        let (times, values, interpolation) = (try accessors.floats(input), try accessors.floats(output), try interpolation(json))
        try context.spend(times.count, at: json)
        if let first = times.first, first < 0 { context.warn(json, "starts before time 0") }
        let accessor = accessors[input].json
        if accessor["min"] == nil || accessor["max"] == nil { context.warn(accessor, "the times of an animation must have min and max") }
        if interpolation == .cubic, times.count < 2 { context.warn(json, "CUBICSPLINE needs at least 2 keys, but has \(times.count)") }
        return increasing(GLTFAnimation.Sampler(interpolation: interpolation, times: times, values: values), json)
    }

    /// Removes keys whose time is not later than that of the previous key, with a warning.
    private func increasing(_ sampler: GLTFAnimation.Sampler, _ json: JSONValue) -> GLTFAnimation.Sampler {
        let times = sampler.times
        var (kept, last): ([Int], Float?) = ([], nil)
        for index in times.indices {
            if let last, times[index] <= last { continue }
            kept.append(index)
            last = times[index]
        }
        // The channel rejects a wrong number of values.
        guard kept.count < times.count, sampler.values.count % times.count == 0 else { return sampler }
        context.warn(
            json["input"] ?? json,
            "\(times.count - kept.count) of \(times.count) times are not later than the previous one; their keys were ignored")
        let width = sampler.values.count / times.count
        return GLTFAnimation.Sampler(
            interpolation: sampler.interpolation, times: kept.map { times[$0] },
            values: kept.flatMap { sampler.values[$0 * width..<($0 + 1) * width] })
    }

    private func interpolation(_ json: JSONValue) throws(GLTFError) -> Interpolation {
        switch try json.string("interpolation") {
        case nil, "LINEAR": return .linear
        case "STEP": return .step
        case "CUBICSPLINE": return .cubic
        default: throw json.failure("interpolation", "must be LINEAR, STEP or CUBICSPLINE")
        }
    }

    /// Reads a channel; returns nil, with a warning, if it has no target or an unknown one.
    private func channel(_ json: JSONValue, _ samplers: [GLTFAnimation.Sampler]) throws(GLTFError) -> GLTFAnimation.Channel? {
        let sampler = samplers[try json.requireIndex("sampler", below: samplers.count)]
        guard let targetJSON = try json.object("target") else { throw json.failure("target", "is missing") }
        guard let path = try targetJSON.string("path") else { throw targetJSON.failure("path", "is missing") }
        guard let node = try targetJSON.index("node", below: nodes.count) else {
            context.warn(targetJSON, "has no node; the channel was ignored")
            return nil
        }
        let target: AnimationTarget
        switch path {
        case "translation": target = .translation
        case "rotation": target = .rotation
        case "scale": target = .scale
        case "weights": target = .morphWeights
        default:
            context.warn(targetJSON, "animation of \(path) is not supported; the channel was ignored")
            return nil
        }
        let width = try componentCount(target, node: node, at: targetJSON)
        let perKey = sampler.interpolation == .cubic ? 3 : 1
        let (expected, overflow) = (sampler.times.count * perKey).multipliedReportingOverflow(by: width)
        guard !overflow, sampler.values.count == expected else {
            throw json.failure("sampler", "has \(sampler.values.count) values for \(sampler.times.count) keys of \(width * perKey) values")
        }
        if target != .morphWeights, case .matrix = nodes[node].placement { context.warn(targetJSON, "the animated node has a matrix") }
        return GLTFAnimation.Channel(json: json, node: node, target: target, sampler: sampler)
    }

    private func componentCount(_ target: AnimationTarget, node: Int, at json: JSONValue) throws(GLTFError) -> Int {
        switch target {
        case .translation, .scale: return 3
        case .rotation: return 4
        case .morphWeights:
            guard let mesh = nodes[node].mesh, meshes[mesh].morphTargetCount > 0 else {
                throw json.failure("node", "has no morph targets")
            }
            return meshes[mesh].morphTargetCount
        }
    }
}
