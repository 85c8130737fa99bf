import Foundation
import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Tests with a folder in place of sysfs and a pipe in place of the driver: test machines have no IMU.
@Suite struct InertialDeviceTests {
    // MARK: Simulated system

    final class FakeSystem {
        let folder: TemporaryFolder
        var options: InertialDevice.Options
        private var pipes: [String: Int32] = [:]

        init() throws {
            folder = try TemporaryFolder()
            options = InertialDevice.Options()
            options.system = folder.url.path + "/sys"
            options.devices = folder.url.path + "/dev"
            try FileManager.default.createDirectory(atPath: options.devices, withIntermediateDirectories: true)
        }

        deinit { for pipe in pipes.values { close(pipe) } }

        func path(_ device: String) -> String { "sys/bus/iio/devices/\(device)/" }

        func write(_ values: KeyValuePairs<String, String>, to device: String) throws {
            for (name, value) in values { try folder.write(value + "\n", to: path(device) + name) }
        }

        func text(_ device: String, _ name: String) throws -> String {
            try folder.text(path(device) + name).trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// A sensor of three axes with a buffer: big-endian numbers of 12 bits, left-aligned in 16.
        func addElements(_ kind: String, of device: String, from index: Int) throws {
            for (channel, axis) in ["x", "y", "z"].enumerated() {
                let name = "in_\(kind)_\(axis)"
                try write(
                    [
                        "\(name)_raw": "\(channel + 1)", "scan_elements/\(name)_en": "0", "scan_elements/\(name)_type": "be:s12/16>>4",
                        "scan_elements/\(name)_index": "\(index + channel)",
                    ], to: device)
            }
            try write(
                [
                    "buffer/enable": "0", "buffer/length": "2", "current_timestamp_clock": "realtime", "scan_elements/in_timestamp_en": "0",
                    "scan_elements/in_timestamp_type": "le:s64/64>>0", "scan_elements/in_timestamp_index": "9",
                ], to: device)
        }

        /// Makes the pipe that replaces the device file.
        func makePipe(_ device: String) throws {
            let path = options.devices + "/" + device
            try #require(mkfifo(path, 0o600) == 0)
            pipes[device] = open(path, O_RDWR | O_NONBLOCK)
        }

        func send(_ bytes: [UInt8], from device: String) throws {
            let count = bytes.withUnsafeBytes { Foundation.write(pipes[device]!, $0.baseAddress!, $0.count) }
            try #require(count == bytes.count)
        }

        /// Adds a chip with gyroscope and accelerometer in one device.
        func addChip(_ device: String = "iio:device0") throws {
            try write(
                [
                    "name": "bmi160", "in_anglvel_scale": "0.001", "in_accel_x_scale": "0.01", "in_accel_y_scale": "0.02",
                    "in_accel_z_scale": "0.04", "in_accel_z_offset": "-100", "in_mount_matrix": "0, -1, 0; 1, 0, 0; 0, 0, 1",
                    "in_anglvel_sampling_frequency": "25", "in_anglvel_sampling_frequency_available": "25 50 100 400 1600",
                ], to: device)
            try addElements("anglvel", of: device, from: 0)
            try addElements("accel", of: device, from: 3)
            try write(
                ["scan_elements/in_temp_en": "1", "scan_elements/in_temp_type": "le:u8/8>>0", "scan_elements/in_temp_index": "6"],
                to: device)
        }
    }

    static func bigEndian(_ values: [Int]) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 4), UInt8(truncatingIfNeeded: $0 << 4)] }
    }
    static func littleEndian(_ value: Int64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

    // MARK: Numbers

    @Test(arguments: [
        ("le:s16/16>>0", [0x34, 0xFF], -204), ("be:s16/16>>0", [0xFF, 0x34], -204), ("le:u16/16>>0", [0x34, 0xFF], 65332),
        ("be:s12/16>>4", [0x80, 0x0F], -2048), ("le:s12/16>>4", [0xF0, 0x7F], 2047), ("le:u24/32>>8", [0xFF, 1, 2, 3], 0x030201),
        ("le:s64/64>>0", [0xFE, 255, 255, 255, 255, 255, 255, 255], -2), ("le:s32/32", [1, 0, 0, 0x80], -2_147_483_647),
        ("le:s8/8>>0", [0x80], -128),
    ])
    func numbersOfScans(_ type: String, _ bytes: [UInt8], _ value: Int64) throws {
        let element = try #require(ScanElement(type))
        #expect(element.byteCount == bytes.count && element.value([7] + bytes, at: 1) == value)
    }

    @Test(arguments: [
        "", "le", "le:s16", "le:s16/", "le:s16/16>>", "le:s16/16>0", "xe:s16/16>>0", "le:f32/32>>0", "le:s16/16X4>>0", "le:s0/16>>0",
        "le:s17/16>>0",
        "le:s16/16>>1", "le:s12/12>>0", "le:s-1/16>>0", "le:s999999999999999999999/16>>0", "le:s16/16>>0 ",
    ])
    func whatIsNoNumberOfAScan(_ type: String) { #expect(ScanElement(type) == nil) }

    @Test func elementsAreAlignedToTheirSize() throws {
        func entry(_ role: ScanLayout.Role, _ index: Int, _ type: String) throws -> ScanLayout.Entry {
            ScanLayout.Entry(role: role, index: index, element: try #require(ScanElement(type)))
        }
        // Three of two bytes, two bytes of padding, and the time; given in another order.
        var entries = [try entry(.time, 12, "le:s64/64>>0")]
        for axis in 0..<3 { entries.append(try entry(.axis(.accel, axis), 4 + axis, "le:s16/16>>0")) }
        let layout = ScanLayout(entries)
        #expect(layout.byteCount == 16)
        let scan = layout.scan([1, 0, 2, 0, 0xFD, 0xFF, 9, 9] + Self.littleEndian(77))
        #expect(scan == ScanLayout.Scan(nanoseconds: 77, gyroscope: nil, accelerometer: Vector3d(1, 2, -3)))
    }

    @Test func twoSensorsAreCombined() {
        var mixer = InertialMixer()
        #expect(mixer.addRotation(Vector3d(1, 0, 0), at: 5).isEmpty)
        #expect(mixer.addAcceleration(Vector3d(0, 0, 10), at: 10).isEmpty)
        #expect(mixer.addRotation(Vector3d(2, 0, 0), at: 15).isEmpty)
        #expect(mixer.addRotation(Vector3d(3, 0, 0), at: 15).isEmpty)
        // The first angular velocity has no earlier acceleration; one with a time that does not increase is skipped.
        #expect(
            mixer.addAcceleration(Vector3d(0, 0, 20), at: 20)
                == [InertialReading(nanoseconds: 15, angularVelocity: Vector3d(2, 0, 0), acceleration: Vector3d(0, 0, 15))])
        #expect(
            mixer.addRotation(Vector3d(4, 0, 0), at: 20)
                == [InertialReading(nanoseconds: 20, angularVelocity: Vector3d(4, 0, 0), acceleration: Vector3d(0, 0, 20))])
    }

    @Test func supportedRatesAreSelected() {
        #expect(InertialSensor.choice("25 50 100 200 400", 200) == 200 && InertialSensor.choice("12.5 26 52", 200) == 52)
        #expect(InertialSensor.choice("[1 1 1000]", 200) == 200 && InertialSensor.choice("[1 1 100]", 200) == 100)
        #expect(InertialSensor.choice(nil, 200) == nil && InertialSensor.choice("fast", 200) == nil)
    }

    // MARK: Devices

    /// The readings within two seconds.
    private func readings(_ device: InertialDevice, atLeast count: Int) -> [InertialReading] {
        var all: [InertialReading] = []
        for _ in 0..<2000 where all.count < count {
            all += device.readings()
            if all.count < count { usleep(1000) }
        }
        return all
    }

    @Test func chipsAreReadByTheirBuffer() throws {
        let system = try FakeSystem()
        try system.addChip()
        try system.makePipe("iio:device0")
        var device: InertialDevice? = try InertialDevice(options: system.options)
        #expect(device?.name == "iio:device0 (bmi160)" && device?.isBuffered == true && device?.rate == 400)
        #expect(try system.text("iio:device0", "buffer/enable") == "1")
        #expect(try system.text("iio:device0", "current_timestamp_clock") == "monotonic")
        #expect(try system.text("iio:device0", "scan_elements/in_temp_en") == "0")
        // Two scans, the second in two parts.
        let scans = [1, 2].map { round in
            Self.bigEndian([100, 200, -300, 50, -60 * round, 100 + 250]) + [0, 0, 0, 0] + Self.littleEndian(Int64(1_000_000_000 + round))
        }
        try system.send(scans[0] + scans[1].prefix(5), from: "iio:device0")
        #expect(readings(device!, atLeast: 1).count == 1)
        try system.send(Array(scans[1].dropFirst(5)), from: "iio:device0")
        let second = try #require(readings(device!, atLeast: 1).first)
        // Rotated by the mount matrix: x from −y, y from x.
        #expect(second.nanoseconds == 1_000_000_002)
        #expect(length(second.angularVelocity - Vector3d(-0.2, 0.1, -0.3)) < 1e-12)
        #expect(length(second.acceleration - Vector3d(120 * 0.02, 0.5, 250 * 0.04)) < 1e-12)
        #expect(device?.takeProblems() == [])
        device = nil
        #expect(try system.text("iio:device0", "buffer/enable") == "0")
    }

    @Test func devicesStopAndStartAgain() throws {
        let system = try FakeSystem()
        try system.addChip()
        try system.makePipe("iio:device0")
        let device = try InertialDevice(options: system.options)
        func scan(_ time: Int64) -> [UInt8] {
            Self.bigEndian([100, 200, -300, 50, -60, 350]) + [0, 0, 0, 0] + Self.littleEndian(time)
        }
        try system.send(scan(1), from: "iio:device0")
        #expect(readings(device, atLeast: 1).map(\.nanoseconds) == [1])
        device.stop()
        #expect(try system.text("iio:device0", "buffer/enable") == "0")
        device.stop()
        try device.start()
        try device.start()
        #expect(try system.text("iio:device0", "buffer/enable") == "1" && device.isBuffered)
        try system.send(scan(2), from: "iio:device0")
        #expect(readings(device, atLeast: 1).map(\.nanoseconds) == [2])
        #expect(device.takeProblems() == [])
        // Another program uses the device now.
        device.stop()
        try system.write(["buffer/enable": "1"], to: "iio:device0")
        #expect(message { try device.start() }?.contains("another program reads this sensor") == true)
        try system.write(["buffer/enable": "0"], to: "iio:device0")
        try device.start()
        #expect(try system.text("iio:device0", "buffer/enable") == "1")
    }

    @Test func twoDevicesWithTheirOwnClock() throws {
        let system = try FakeSystem()
        for (device, kind, name) in [("iio:device1", "accel", "icm42600-accel"), ("iio:device2", "anglvel", "icm42600-gyro")] {
            try system.write(["name": name, "in_\(kind)_scale": "0.5"], to: device)
            try system.addElements(kind, of: device, from: 0)
            try system.write(["trigger/current_trigger": "", "../trigger\(device.last!)/name": "\(name)-dev\(device.last!)"], to: device)
            try system.makePipe(device)
        }
        // A thermometer, which is ignored.
        try system.write(["name": "hot", "in_temp_raw": "1"], to: "iio:device0")
        let device = try InertialDevice(options: system.options)
        #expect(device.isBuffered && device.name == "iio:device2 (icm42600-gyro), iio:device1 (icm42600-accel)")
        #expect(try system.text("iio:device2", "trigger/current_trigger") == "icm42600-gyro-dev2")
        for (round, time) in [Int64(10), 20, 30].enumerated() {
            try system.send(Self.bigEndian([0, 2 * round, 0]) + [0, 0] + Self.littleEndian(time), from: "iio:device1")
            try system.send(Self.bigEndian([round, 0, 0]) + [0, 0] + Self.littleEndian(time + 5), from: "iio:device2")
        }
        let all = readings(device, atLeast: 2)
        #expect(all.map(\.nanoseconds) == [15, 25])
        #expect(all.map(\.angularVelocity.x) == [0, 0.5] && all.map(\.acceleration.y) == [0.5, 1.5])
    }

    @Test func withoutPermissionsValuesArePolled() throws {
        let system = try FakeSystem()
        try system.addChip()
        // The device file does not exist, so it cannot be opened.
        let device = try InertialDevice("iio:device0", options: system.options)
        #expect(!device.isBuffered && device.rate == 100)
        let all = readings(device, atLeast: 3)
        #expect(all.count >= 3 && zip(all, all.dropFirst()).allSatisfy { $0.nanoseconds < $1.nanoseconds })
        #expect(abs(all[0].nanoseconds - SystemClock.monotonic) < 10_000_000_000)
        #expect(length(all[0].angularVelocity - Vector3d(-0.002, 0.001, 0.003)) < 1e-12)
        let said = device.takeProblems()
        #expect(
            said.count == 1 && said[0].contains("/dev/iio:device0: no such file") && said[0].contains("polls single values instead"),
            "\(said)")
        #expect(device.takeProblems().isEmpty)
    }

    @Test func removedDevicesAreReported() throws {
        let system = try FakeSystem()
        try system.addChip()
        try system.folder.write([UInt8](repeating: 0, count: 24), to: "dev/iio:device0")
        // A file of one scan: its end simulates the removal.
        let device = try InertialDevice(options: system.options)
        _ = readings(device, atLeast: 1)
        var said: [String] = []
        for _ in 0..<2000 where said.isEmpty {
            said = device.takeProblems()
            usleep(1000)
        }
        #expect(said.first?.hasSuffix("iio:device0: was removed") == true, "\(said)")
        #expect(device.takeProblems().isEmpty)
    }

    @Test(arguments: [
        ("in_anglvel_scale", "", "in_anglvel_scale: '' is not a number"),
        ("in_anglvel_scale", "-1", "in_anglvel_scale: is missing, or is not above"),
        ("in_mount_matrix", "1, 0; 0, 1", "in_mount_matrix: '1, 0; 0, 1' is not three rows"),
        ("in_mount_matrix", "2, 0, 0; 0, 1, 0; 0, 0, 1", "is not a rotation"),
        ("in_accel_z_offset", "much", "in_accel_z_offset: 'much' is not a number"),
    ])
    func whatASystemSaysWrongIsNamed(_ file: String, _ text: String, _ reason: String) throws {
        let system = try FakeSystem()
        try system.addChip()
        try system.write([file: text], to: "iio:device0")
        let said = message { _ = try InertialDevice(options: system.options) }
        #expect(said?.contains(reason) == true, "\(said ?? "none")")
    }

    /// Without a usable buffer, the device reports a problem and polls values.
    @Test(arguments: [
        ("buffer/enable", "1", "device or resource busy: another program reads this sensor"),
        ("scan_elements/in_accel_x_type", "le:f32/32>>0", "in_accel_x_type: 'le:f32/32>>0' is not supported"),
        ("current_timestamp_clock", "sundial", "sundial"), ("trigger/current_trigger", "", "the sensor has no trigger of its own"),
    ])
    func aBufferThatCantBeUsed(_ file: String, _ text: String, _ reason: String) throws {
        let system = try FakeSystem()
        try system.addChip()
        try system.makePipe("iio:device0")
        try system.write([file: text], to: "iio:device0")
        if file == "current_timestamp_clock" {
            // A directory instead of a file cannot be written.
            try FileManager.default.removeItem(atPath: system.options.system + "/bus/iio/devices/iio:device0/\(file)")
            try system.folder.write(text, to: "sundial")
            try FileManager.default.createDirectory(
                atPath: system.options.system + "/bus/iio/devices/iio:device0/\(file)", withIntermediateDirectories: false)
        }
        let device = try InertialDevice(options: system.options)
        #expect(!device.isBuffered)
        let said = device.takeProblems().first ?? ""
        #expect(
            file == "current_timestamp_clock" ? said.contains("current_timestamp_clock: is a directory") : said.contains(reason), "\(said)")
    }

    @Test func missingSensorsAreErrorsThatListTheOthers() throws {
        let system = try FakeSystem()
        #expect(
            message { _ = try InertialDevice(options: system.options) }?.hasSuffix("this machine has no gyroscope")
                == true)
        try system.write(["name": "a", "in_accel_scale": "1", "in_accel_x_raw": "0"], to: "iio:device3")
        #expect(
            message { _ = try InertialDevice("iio:device7", options: system.options) }?.contains(
                "is not a gyroscope or accelerometer: there are iio:device3")
                == true)
        #expect(
            message { _ = try InertialDevice("iio:device3", options: system.options) }?.contains("has no gyroscope, and no other device")
                == true)
    }

    // MARK: Association with a camera

    @Test func devicesBelongToACamera() throws {
        let system = try FakeSystem()
        let files = FileManager.default
        let root = system.folder.url
        // A USB camera with an IMU, and a sensor on the main board.
        try system.folder.write("8086", to: "sys/devices/usb2/2-1/idVendor")
        try system.folder.write("removable", to: "sys/devices/usb2/2-1/removable")
        for directory in [
            "sys/devices/usb2/2-1/2-1:1.0/x", "sys/class/video4linux/video0", "sys/bus/iio/devices", "sys/devices/i2c/6-0068",
        ] {
            try files.createDirectory(at: root.appendingPathComponent(directory), withIntermediateDirectories: true)
        }
        func link(_ name: String, to target: String) throws {
            try? files.removeItem(at: root.appendingPathComponent(name))
            try files.createSymbolicLink(at: root.appendingPathComponent(name), withDestinationURL: root.appendingPathComponent(target))
        }
        for directory in ["sys/devices/usb2/2-1/2-1:1.5/iio:device0", "sys/devices/i2c/6-0068/iio:device0"] {
            for kind in ["anglvel", "accel"] {
                try system.folder.write("0", to: directory + "/in_\(kind)_x_raw")
                try system.folder.write("1", to: directory + "/in_\(kind)_scale")
            }
        }
        func isBeside() -> Bool { InertialDevice.isBeside(camera: "/dev/video0", options: system.options) }
        #expect(!isBeside())
        try link("sys/class/video4linux/video0/device", to: "sys/devices/usb2/2-1/2-1:1.0")
        try link("sys/bus/iio/devices/iio:device0", to: "sys/devices/usb2/2-1/2-1:1.5/iio:device0")
        #expect(isBeside())
        // The board's sensor belongs to a built-in camera, not to one on a cable, and not if it is in the keyboard.
        try link("sys/bus/iio/devices/iio:device0", to: "sys/devices/i2c/6-0068/iio:device0")
        #expect(!isBeside())
        try system.folder.write("fixed\n", to: "sys/devices/usb2/2-1/removable")
        #expect(isBeside())
        try system.folder.write("accel-base\n", to: "sys/devices/i2c/6-0068/iio:device0/label")
        #expect(!isBeside())
    }

    @Test func liveEventsHaveTheOrderOfRecordings() {
        var order = LiveEventQueue()
        #expect(order.isEmpty && order.next() == nil)
        let image = CameraSample(time: 0.25, image: Fixtures.image(1))
        let samples = [0.1, 0.2, 0.3, 0.4].map { Fixtures.sample($0) }
        order.add(image, after: samples)
        var events: [SensorEvent] = []
        while let event = order.next() { events.append(event) }
        #expect(events == samples.prefix(3).map { .inertial($0) } + [.image(image)])
        var next = image
        next.time = 0.5
        order.add(next, after: [])
        #expect(order.next() == .inertial(samples[3]) && order.next() == .image(next) && order.isEmpty)
    }
}
