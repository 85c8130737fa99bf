import VitrineMath
import VitrineScene

extension GLBWriter {
    mutating func animations() -> [JSONText] {
        var list: [JSONText] = []
        for (number, clip) in contents.clips.enumerated() {
            let place = "animation \"\(clip.name.isEmpty ? "\(number)" : clip.name)\""
            let tracks = clip.tracks.filter { track in
                if track.track.target == .morphWeights || Self.hasParts(contents.entries[track.entry]) { return true }
                let node = contents.entries[track.entry].node.name
                warnings.append(
                    ModelWarning(place: place, message: "a track of node \"\(node)\", which has shear or a pivot: not supported by glTF")
                )
                return false
            }
            if !tracks.isEmpty { list.append(json(tracks, name: clip.name, place: place)) }
        }
        return list
    }

    private mutating func json(_ tracks: [SceneContents.TrackEntry], name: String, place: String) -> JSONText {
        let first = tracks.reduce(Float(0)) { min($0, $1.track.times[0]) }
        if first < 0 {
            warnings.append(ModelWarning(place: place, message: "begins at \(first) s: moved to begin at 0, as glTF wants it"))
        }
        // Tracks mostly share their times.
        var inputs: [[Float]: Int] = [:]
        var (samplers, channels): ([JSONText], [JSONText]) = ([], [])
        for entry in tracks {
            let times = first < 0 ? entry.track.times.map { $0 - first } : entry.track.times
            let input = inputs[times] ?? binary.floats(times, shape: "SCALAR", hasBounds: true, use: .data)
            inputs[times] = input
            let output = binary.floats(Self.values(entry.track), shape: Self.shape(entry.track.target), use: .data)
            let node = entry.track.target == .morphWeights ? meshNumber(ofEntry: entry.entry) : nodeNumbers[entry.entry]
            let channel: [(String, JSONText)] = [
                ("sampler", .integer(samplers.count)),
                (
                    "target",
                    .object([("node", .integer(node)), ("path", .string(Self.path(entry.track.target)))])
                ),
            ]
            samplers.append(
                .object([
                    ("input", .integer(input)), ("interpolation", .string(Self.interpolation(entry.track.interpolation))),
                    ("output", .integer(output)),
                ]))
            channels.append(.object(channel))
        }
        let label: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        return .object(label + [("channels", .array(channels)), ("samplers", .array(samplers))])
    }

    /// Rotations are unit quaternions in the file; the tangents of cubic ones stay unchanged.
    private static func values(_ track: AnimationTrack) -> [Float] {
        guard track.target == .rotation, track.interpolation != .cubic else { return track.values }
        return stride(from: 0, to: track.values.count - 3, by: 4).flatMap { first -> [Float] in
            let vector = Vector4(track.values[first], track.values[first + 1], track.values[first + 2], track.values[first + 3])
            let size = length(vector)
            if abs(size - 1) < 1e-5 { return [vector.x, vector.y, vector.z, vector.w] }
            let unit = size > 0 ? vector / size : Vector4(0, 0, 0, 1)
            return [unit.x, unit.y, unit.z, unit.w]
        }
    }

    private static func shape(_ target: AnimationTarget) -> String {
        switch target {
        case .translation, .scale: "VEC3"
        case .rotation: "VEC4"
        case .morphWeights: "SCALAR"
        }
    }

    private static func path(_ target: AnimationTarget) -> String {
        switch target {
        case .translation: "translation"
        case .rotation: "rotation"
        case .scale: "scale"
        case .morphWeights: "weights"
        }
    }

    private static func interpolation(_ interpolation: Interpolation) -> String {
        switch interpolation {
        case .step: "STEP"
        case .linear: "LINEAR"
        case .cubic: "CUBICSPLINE"
        }
    }
}
