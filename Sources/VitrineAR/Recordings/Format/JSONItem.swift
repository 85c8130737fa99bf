import VitrineTracking
import VitrineVision

/// A small JSON value: a line of a recording, or its header. Members keep their order.
///
/// Numbers are written as the shortest text that reads back the same, so that a recording preserves every bit.
enum JSONItem: Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([JSONItem])
    case members([Member])

    struct Member: Equatable {
        let name: String
        let value: JSONItem
    }

    static func object(_ members: KeyValuePairs<String, JSONItem?>) -> JSONItem {
        .members(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    static func numbers(_ values: [Double]) -> JSONItem { .list(values.map { .number($0) }) }

    // MARK: This value as …

    subscript(name: String) -> JSONItem? {
        guard case .members(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var number: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    var text: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// A whole number that fits.
    var integer: Int? { number.flatMap { Int(exactly: $0) } }

    /// A list of exactly so many numbers; `null` represents a value that is not a number, which JSON cannot represent.
    func numbers(_ count: Int) -> [Double]? {
        guard case .list(let items) = self, items.count == count else { return nil }
        var values: [Double] = []
        for item in items {
            switch item {
            case .number(let value): values.append(value)
            case .null: values.append(.nan)
            default: return nil
            }
        }
        return values
    }

    // MARK: As text

    /// The JSON text on one line, without blanks.
    var line: String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .number(let value): return Self.spelled(value)
        case .text(let value): return Self.quoted(value)
        case .list(let items): return "[" + items.map(\.line).joined(separator: ",") + "]"
        case .members(let members): return "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    /// The JSON text, with each member of the outermost object on a separate line.
    var lines: String {
        guard case .members(let members) = self else { return line + "\n" }
        return "{\n" + members.map { "  " + Self.quoted($0.name) + ": " + $0.value.line }.joined(separator: ",\n") + "\n}\n"
    }

    private static func spelled(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if let whole = Int(exactly: value), abs(whole) < 1 << 53, !(whole == 0 && value.sign == .minus) { return "\(whole)" }
        return "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

// The JSON of calibrations in recordings, in both directions. Invalid values read as nil.

extension JSONItem {
    static func camera(_ camera: CameraIntrinsics) -> JSONItem {
        let model = camera.distortion.projection.calibrationNames[0]
        let k = camera.distortion.fourCoefficients
        return .object([
            "width": .number(Double(camera.width)), "height": .number(Double(camera.height)),
            "focal": .numbers([camera.focal.x, camera.focal.y]), "center": .numbers([camera.center.x, camera.center.y]),
            "lens": .text(model), "coefficients": .numbers([k.x, k.y, k.z, k.w]),
        ])
    }

    var camera: CameraIntrinsics? {
        guard let width = self["width"]?.integer, let height = self["height"]?.integer, let focal = self["focal"]?.numbers(2),
            let center = self["center"]?.numbers(2), let k = self["coefficients"]?.numbers(4), let lens = self["lens"]?.text
        else { return nil }
        guard let projection = LensDistortion.Projection(calibrationName: lens) else { return nil }
        let camera = CameraIntrinsics(
            width: width, height: height, focal: Vector2d(focal[0], focal[1]), center: Vector2d(center[0], center[1]),
            distortion: LensDistortion(projection, fourCoefficients: SIMD4(k[0], k[1], k[2], k[3])))
        return camera.isPossible ? camera : nil
    }

    /// Returns a transform as three rows of four numbers: the rotation, and the translation in the last column.
    static func transform(_ transform: RigidTransform) -> JSONItem {
        let (r, t) = (transform.rotation, transform.translation)
        return .numbers([r.x.x, r.y.x, r.z.x, t.x, r.x.y, r.y.y, r.z.y, t.y, r.x.z, r.y.z, r.z.z, t.z])
    }

    var transform: RigidTransform? {
        guard let m = numbers(12) else { return nil }
        let rotation = Matrix3d(rows: Vector3d(m[0], m[1], m[2]), Vector3d(m[4], m[5], m[6]), Vector3d(m[8], m[9], m[10]))
        let transform = RigidTransform(rotation: rotation, translation: Vector3d(m[3], m[7], m[11]))
        return transform.isPossible ? transform : nil
    }

    /// Nine numbers in row order; nil for the identity.
    private static func correction(_ m: Matrix3d) -> JSONItem? {
        m == .identity ? nil : .numbers([m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z])
    }

    /// The matrix of a member: the identity without it, nil if it is not near the identity.
    private func correction(_ name: String) -> Matrix3d? {
        guard let item = self[name] else { return .identity }
        guard let m = item.numbers(9) else { return nil }
        let matrix = Matrix3d(rows: Vector3d(m[0], m[1], m[2]), Vector3d(m[3], m[4], m[5]), Vector3d(m[6], m[7], m[8]))
        let difference = [matrix.x - Vector3d(1, 0, 0), matrix.y - Vector3d(0, 1, 0), matrix.z - Vector3d(0, 0, 1)]
        return difference.allSatisfy { length($0) < 0.3 } ? matrix : nil
    }

    static func rig(_ rig: SensorRig) -> JSONItem {
        let noise = rig.noise
        return .object([
            "camera": .camera(rig.camera), "cameraFromBody": .transform(rig.cameraFromBody), "timeOffset": .number(rig.timeOffset),
            "hasInertialUnit": .boolean(rig.hasInertialUnit),
            "noise": .object([
                "gyroscope": .number(noise.gyroscope), "accelerometer": .number(noise.accelerometer),
                "gyroscopeWalk": .number(noise.gyroscopeWalk), "accelerometerWalk": .number(noise.accelerometerWalk),
            ]),
            "readoutTime": rig.readoutTime == 0 ? nil : .number(rig.readoutTime),
            "gyroscopeCorrection": correction(rig.gyroscopeCorrection),
            "accelerometerCorrection": correction(rig.accelerometerCorrection),
            "secondCamera": rig.secondCamera.map { .camera($0) },
            "secondFromCamera": rig.secondCamera == nil ? nil : .transform(rig.secondFromCamera),
        ])
    }

    var rig: SensorRig? {
        guard let camera = self["camera"]?.camera, let transform = self["cameraFromBody"]?.transform,
            let offset = self["timeOffset"]?.number, abs(offset) < 10, let inertial = self["hasInertialUnit"]?.boolean,
            let noise = self["noise"], let gyroscope = noise["gyroscope"]?.number, let accelerometer = noise["accelerometer"]?.number,
            let gyroscopeWalk = noise["gyroscopeWalk"]?.number, let accelerometerWalk = noise["accelerometerWalk"]?.number,
            min(gyroscope, accelerometer, gyroscopeWalk, accelerometerWalk) > 0
        else { return nil }
        let readout = self["readoutTime"]?.number
        guard readout.map({ abs($0) <= 0.2 }) ?? true else { return nil }
        guard let gyroscopeCorrection = correction("gyroscopeCorrection"),
            let accelerometerCorrection = correction("accelerometerCorrection")
        else { return nil }
        var rig = SensorRig(
            camera: camera, cameraFromBody: transform, timeOffset: offset,
            noise: InertialNoise(
                gyroscope: gyroscope, accelerometer: accelerometer, gyroscopeWalk: gyroscopeWalk, accelerometerWalk: accelerometerWalk),
            hasInertialUnit: inertial, readoutTime: readout ?? 0)
        (rig.gyroscopeCorrection, rig.accelerometerCorrection) = (gyroscopeCorrection, accelerometerCorrection)
        if let second = self["secondCamera"] {
            guard let camera = second.camera, let transform = self["secondFromCamera"]?.transform else { return nil }
            (rig.secondCamera, rig.secondFromCamera) = (camera, transform)
        }
        return rig
    }
}

extension CameraIntrinsics {
    /// The largest side of an image file.
    static let sideLimit = 8192

    /// Whether all numbers are finite and in a plausible range.
    var isPossible: Bool {
        let k = distortion.fourCoefficients
        let numbers = [focal.x, focal.y, center.x, center.y, k.x, k.y, k.z, k.w]
        return (1...Self.sideLimit).contains(width) && (1...Self.sideLimit).contains(height) && min(focal.x, focal.y) > 0
            && numbers.allSatisfy { abs($0) < 1e6 }
    }
}

extension RigidTransform {
    /// Whether the transform is finite, in a plausible range, and rigid to three digits.
    var isPossible: Bool {
        let product = rotation * rotation.transpose - .identity
        let off = [product.x, product.y, product.z].allSatisfy { abs($0.x) < 1e-3 && abs($0.y) < 1e-3 && abs($0.z) < 1e-3 }
        return off && rotation.determinant > 0
            && [translation.x, translation.y, translation.z].allSatisfy { abs($0) < 1e9 }
    }
}
