import VitrineTracking
import VitrineVision

/// The calibration of the three axes of a gyroscope or an accelerometer.
struct InertialAxes: Equatable, Sendable {
    /// The kinds of sensors, named as in sysfs.
    enum Kind: String, CaseIterable, Sendable {
        case anglvel, accel

        static let letters = ["x", "y", "z"]
        func name(_ axis: Int) -> String { "in_\(rawValue)_\(Self.letters[axis])" }
    }

    /// The unit of raw values in rad/s or m/s², and the offset to add before.
    var scale = Vector3d(repeating: 1)
    var offset = Vector3d.zero
    /// The rotation from the sensor's axes to the device's: x right, y up, z out of the screen.
    var deviceFromSensor = Matrix3d.identity

    func value(_ raw: Vector3d) -> Vector3d { deviceFromSensor * ((raw + offset) * scale) }

    init(scale: Vector3d = Vector3d(repeating: 1), offset: Vector3d = .zero, deviceFromSensor: Matrix3d = .identity) {
        (self.scale, self.offset, self.deviceFromSensor) = (scale, offset, deviceFromSensor)
    }

    /// Reads the attributes of a device, per axis or shared.
    init(_ kind: Kind, in folder: AttributeFolder) throws(SourceError) {
        for axis in 0..<3 {
            guard let scale = try Self.shared("scale", kind, axis, folder), scale > 0, scale < 1e6 else {
                throw .broken("\(folder.path)/in_\(kind.rawValue)_scale: is missing, or is not above zero")
            }
            self.scale[axis] = scale
            offset[axis] = try Self.shared("offset", kind, axis, folder) ?? 0
        }
        let names = ["in_\(kind.rawValue)_mount_matrix", "in_mount_matrix", "mount_matrix"]
        if let name = names.first(where: { folder.exists($0) }) {
            deviceFromSensor = try Self.mountMatrix(try folder.text(name), location: "\(folder.path)/\(name)")
        }
    }

    private static func shared(_ what: String, _ kind: Kind, _ axis: Int, _ folder: AttributeFolder) throws(SourceError) -> Double? {
        let names = [kind.name(axis) + "_" + what, "in_\(kind.rawValue)_\(what)"]
        guard let name = names.first(where: { folder.exists($0) }) else { return nil }
        return try folder.number(name)
    }

    /// Parses rows separated by `;` of numbers separated by `,`.
    static func mountMatrix(_ text: String, location: String) throws(SourceError) -> Matrix3d {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(whereSeparator: { $0 == "," || $0 == " " }).map { NumberText.double(Array($0.utf8)[...]) ?? .nan }
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else {
            throw .broken("\(location): '\(text.prefix(80))' is not three rows of three numbers")
        }
        let m = rows.map { Vector3d($0[0], $0[1], $0[2]) }
        let matrix = Matrix3d(rows: m[0], m[1], m[2])
        guard RigidTransform(rotation: matrix, translation: .zero).isPossible else {
            throw .broken("\(location): '\(text.prefix(80))' is not a rotation")
        }
        return matrix
    }
}
