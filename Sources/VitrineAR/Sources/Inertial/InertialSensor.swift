import VitrineVision

/// An Industrial I/O device with a gyroscope, an accelerometer, or both.
struct InertialSensor: Sendable {
    /// The identifier of the device, such as "iio:device0".
    let identifier: String
    /// The driver's name: "icm42600-gyro".
    let name: String
    let folder: AttributeFolder
    let gyroscope, accelerometer: InertialAxes?

    var kinds: [InertialAxes.Kind] { (gyroscope == nil ? [] : [.anglvel]) + (accelerometer == nil ? [] : [.accel]) }

    /// The sensors of a device; empty for other devices.
    static func kinds(in folder: AttributeFolder) -> [InertialAxes.Kind] {
        InertialAxes.Kind.allCases.filter { kind in
            folder.exists(kind.name(0) + "_raw") || folder.exists("scan_elements/\(kind.name(0))_en")
                || folder.exists("buffer0/\(kind.name(0))_en")
        }
    }

    /// Opens a sensor.
    ///
    /// - Parameter wanted: The sensors to read.
    init(_ identifier: String, in folder: AttributeFolder, _ wanted: [InertialAxes.Kind]) throws(SourceError) {
        (self.identifier, self.folder) = (identifier, folder)
        name = folder.optional("name") ?? identifier
        gyroscope = wanted.contains(.anglvel) ? try InertialAxes(.anglvel, in: folder) : nil
        accelerometer = wanted.contains(.accel) ? try InertialAxes(.accel, in: folder) : nil
    }

    func axes(_ kind: InertialAxes.Kind) -> InertialAxes? { kind == .anglvel ? gyroscope : accelerometer }

    // MARK: Sampling rate

    /// Requests at least `rate` readings per second, or the highest rate.
    ///
    /// - Returns: The actual rate; nil if unknown.
    func setRate(_ rate: Double) -> Double? {
        var result: Double?
        for prefix in kinds.map({ "in_\($0.rawValue)_" }) + [""] {
            let name = prefix + "sampling_frequency"
            guard folder.exists(name) else { continue }
            let wanted = Self.choice(folder.optional(name + "_available"), rate)
            try? folder.write(Self.text(wanted ?? rate), to: name)
            if let now = try? folder.number(name), now > 0 { result = max(result ?? 0, now) }
        }
        return result
    }

    private static func text(_ rate: Double) -> String { rate == rate.rounded() ? "\(Int(rate))" : "\(rate)" }

    /// The lowest sufficient rate of a list, otherwise the highest; or the rate clamped to a range `[minimum step maximum]`.
    static func choice(_ available: String?, _ rate: Double) -> Double? {
        guard let available else { return nil }
        let numbers = available.split(whereSeparator: { " []".contains($0) }).compactMap { NumberText.double(Array($0.utf8)[...]) }
            .filter { $0 > 0 && $0 < 1e5 }
        if available.hasPrefix("["), numbers.count == 3 { return min(max(rate, numbers[0]), numbers[2]) }
        return numbers.filter { $0 >= rate }.min() ?? numbers.max()
    }
}

extension InertialSensor {
    /// The configured buffer of the driver.
    struct Buffer: Sendable {
        let layout: ScanLayout
        /// The folder with the switch that enables it.
        let folder: AttributeFolder
    }

    /// Configures the driver to buffer scans of all axes with time stamps: more accurate and cheaper than polling.
    ///
    /// - Throws: If that fails, often for lack of permission; polling may still work.
    func prepareBuffer() throws(SourceError) -> Buffer {
        // Kernels since 5.11 have `buffer0` for both and keep the older names.
        let elements = AttributeFolder(path: folder.path + (folder.exists("scan_elements") ? "/scan_elements" : "/buffer0"))
        let buffer = AttributeFolder(path: folder.path + (folder.exists("buffer") ? "/buffer" : "/buffer0"))
        guard buffer.exists("enable") else { throw .broken("\(folder.path): has no buffer") }
        guard try buffer.text("enable") == "0" else { throw AttributeFolder.busy(buffer.path + "/enable") }
        try chooseTrigger()
        let layout = ScanLayout(try chooseElements(elements))
        if buffer.exists("length") { try buffer.write("256", to: "length") }
        return Buffer(layout: layout, folder: buffer)
    }

    /// Selects the sensor's own data-ready trigger, for sensors that need one.
    private func chooseTrigger() throws(SourceError) {
        let file = "trigger/current_trigger"
        guard folder.exists(file), try folder.text(file).isEmpty else { return }
        let all = AttributeFolder(path: String(folder.path.dropLast(identifier.utf8.count)))
        let triggers = all.names.filter { $0.hasPrefix("trigger") }.compactMap { all.optional($0 + "/name") }
        let number = identifier.drop { !$0.isNumber }
        guard let own = triggers.first(where: { $0 == "\(name)-dev\(number)" }) ?? triggers.first(where: { $0.hasPrefix(name + "-") })
        else {
            throw .broken("\(folder.path)/\(file): the sensor has no trigger of its own")
        }
        try folder.write(own, to: file)
    }

    private func chooseElements(_ elements: AttributeFolder) throws(SourceError) -> [ScanLayout.Entry] {
        var entries: [ScanLayout.Entry] = []
        for file in elements.names where file.hasSuffix("_en") {
            let name = String(file.dropLast(3))
            let role = role(name)
            let isOn = try elements.text(file) == "1"
            if role == .other, isOn { try? elements.write("0", to: file) }
            if role != .other, !isOn { try elements.write("1", to: file) }
            guard try elements.text(file) == "1" else { continue }
            let (type, index) = (try elements.text(name + "_type"), try elements.number(name + "_index"))
            guard let element = ScanElement(type), let position = Int(exactly: index) else {
                throw .broken("\(elements.path)/\(name)_type: '\(type.prefix(40))' is not supported")
            }
            entries.append(ScanLayout.Entry(role: role, index: position, element: element))
        }
        for kind in kinds {
            guard (0..<3).allSatisfy({ axis in entries.contains { $0.role == .axis(kind, axis) } }) else {
                throw .broken("\(elements.path): in_\(kind.rawValue) lacks an axis")
            }
        }
        return entries
    }

    private func role(_ name: String) -> ScanLayout.Role {
        if name == "in_timestamp" { return .time }
        for kind in kinds {
            if let axis = (0..<3).first(where: { kind.name($0) == name }) { return .axis(kind, axis) }
        }
        return .other
    }
}
