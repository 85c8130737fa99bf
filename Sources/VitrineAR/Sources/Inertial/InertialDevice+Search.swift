#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension InertialDevice {
    /// All devices with a gyroscope or an accelerometer, by number.
    private static func candidates(_ options: Options) -> [(identifier: String, folder: AttributeFolder, kinds: [InertialAxes.Kind])] {
        let all = AttributeFolder(path: options.system + "/bus/iio/devices")
        let names = all.names.filter { $0.hasPrefix("iio:device") }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.compactMap { name in
            let folder = AttributeFolder(path: all.path + "/" + name)
            let kinds = InertialSensor.kinds(in: folder)
            return kinds.isEmpty ? nil : (name, folder, kinds)
        }
    }

    /// Selects a device with both sensors, or one for each.
    static func sensors(_ identifier: String?, _ options: Options) throws(SourceError) -> [InertialSensor] {
        let all = candidates(options)
        let place = options.system + "/bus/iio/devices"
        var first = all.first { $0.kinds.count == 2 } ?? all.first { $0.kinds == [.anglvel] }
        if let identifier {
            let name = identifier.split(separator: "/").last.map(String.init) ?? identifier
            first = all.first { $0.identifier == name }
            guard first != nil else {
                let found = all.isEmpty ? "there is none" : "there are " + all.map(\.identifier).joined(separator: ", ")
                throw .broken("\(place)/\(name): is not a gyroscope or accelerometer: \(found)")
            }
        }
        guard let first else { throw .broken("\(place): this machine has no gyroscope") }
        if first.kinds.count == 2 { return [try InertialSensor(first.identifier, in: first.folder, first.kinds)] }
        let missing: InertialAxes.Kind = first.kinds == [.anglvel] ? .accel : .anglvel
        let others = all.filter { $0.kinds.contains(missing) && $0.identifier != first.identifier }
        // Preferably on the same chip.
        let home = parent(first.folder.path)
        guard let other = others.first(where: { home != nil && parent($0.folder.path) == home }) ?? others.first else {
            throw .broken("\(first.folder.path): has no \(missing == .accel ? "accelerometer" : "gyroscope"), and no other device has one")
        }
        return [
            try InertialSensor(first.identifier, in: first.folder, first.kinds),
            try InertialSensor(other.identifier, in: other.folder, [missing]),
        ]
    }

    // MARK: Association with a camera

    /// Whether the IMU belongs to a camera: both in the same USB device, or both built into this machine.
    static func isBeside(camera: String, options: Options = Options()) -> Bool {
        guard let sensors = try? sensors(nil, options), let name = camera.split(separator: "/").last else { return false }
        guard let cameraPath = resolved(options.system + "/class/video4linux/\(name)/device") else { return false }
        return sensors.allSatisfy { sensor in
            // Ignore the sensor in a notebook's keyboard.
            guard sensor.folder.optional("label") != "accel-base", sensor.folder.optional("location") != "base" else { return false }
            guard let own = resolved(sensor.folder.path) else { return false }
            let (cameras, sensors) = (usbDevice(cameraPath), usbDevice(own))
            return cameras == sensors || (isBuiltIn(cameras) && isBuiltIn(sensors))
        }
    }

    /// The USB device of a sysfs path; nil if there is none.
    private static func usbDevice(_ path: String) -> String? {
        var path = path
        while let up = parent(path) {
            if AttributeFolder(path: path).exists("idVendor") { return path }
            path = up
        }
        return nil
    }

    private static func isBuiltIn(_ usbDevice: String?) -> Bool {
        guard let usbDevice else { return true }
        return AttributeFolder(path: usbDevice).optional("removable") == "fixed"
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func parent(_ path: String) -> String? {
        guard let real = resolved(path), let slash = real.lastIndex(of: "/"), slash != real.startIndex else { return nil }
        return String(real[..<slash])
    }
}
