import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Minimal recordings in the layouts of other programs.
enum ImportFixtures {
    static let sensor = """
        #Default camera sensor yaml file
        sensor_type: camera
        comment: VI-Sensor cam0 (a # inside)
        T_BS:
          cols: 4
          rows: 4
          data: [0.0, -1.0, 0.0, -0.02,
                 1.0, 0.0, 0.0, -0.06,
                 0.0, 0.0, 1.0, 0.01,
                 0.0, 0.0, 0.0, 1.0]
        rate_hz: 20
        resolution: [9, 7]
        camera_model: pinhole
        intrinsics: [8.5, 8.25, 4.0, 3.0] #fu, fv, cu, cv
        distortion_model: radial-tangential
        distortion_coefficients: [-0.28, 0.07, 0.0001, 1.7e-05]
        """

    static func frame(_ seed: Int) throws -> [UInt8] {
        try ImageFile.encodeGray(Fixtures.image(seed).luma.values, width: 9, height: 7)
    }

    static func euroc(_ folder: TemporaryFolder) throws {
        try folder.write(sensor, to: "mav0/cam0/sensor.yaml")
        try folder.write(
            "#timestamp [ns],filename\r\n1403715273262142976,a.png\r\n1403715273312143104,b.png\r\n", to: "mav0/cam0/data.csv")
        try folder.write(try frame(1), to: "mav0/cam0/data/a.png")
        try folder.write(try frame(2), to: "mav0/cam0/data/b.png")
        try folder.write(
            """
            sensor_type: imu
            T_BS:
              data: [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
            gyroscope_noise_density: 1.6968e-04     # [ rad / s / sqrt(Hz) ]
            gyroscope_random_walk: 1.9393e-05
            accelerometer_noise_density: 2.0000e-3
            accelerometer_random_walk: 3.0000e-3
            """, to: "mav0/imu0/sensor.yaml")
        let rows = (0..<12).map { "\(1_403_715_273_262_142_976 + $0 * 5_000_000),0.1,0.2,0.3,9.8,0.0,-\($0)" }
        try folder.write("#timestamp [ns],w,w,w,a,a,a\n" + rows.joined(separator: "\n"), to: "mav0/imu0/data.csv")
    }
}

@Suite struct ImportTests {
    @Test func euroc() async throws {
        let folder = try TemporaryFolder()
        try ImportFixtures.euroc(folder)
        let opened = try SensorSourceFile.opened(folder.url)
        #expect(opened.layout == "EuRoC")
        let source = opened.source
        #expect(source.clockOrigin == 1_403_715_273_262_142_976)
        #expect(source.rig.camera.center == Vector2d(4.5, 3.5))
        #expect(source.rig.camera.distortion == .brownConrady(SIMD4(-0.28, 0.07, 0.0001, 1.7e-05)))
        #expect(source.rig.noise.gyroscope == 1.6968e-04 && source.rig.noise.accelerometerWalk == 3e-3)
        let point = source.rig.cameraFromBody * Vector3d(-0.02, -0.06, 0.01)
        #expect(abs(point.x) + abs(point.y) + abs(point.z) < 1e-15)
        let events = try await source.all()
        #expect(source.problems.count == 0)
        #expect(events.inertial.map(\.time) == (0..<12).map { Double($0 * 5_000_000) / 1e9 })
        #expect(events.images.map(\.time) == [0, 50_000_128 / 1e9])
        #expect(events.images[1].image.luma == Fixtures.image(2).luma && events.images[1].image.chroma == nil)
        // An image follows the first sample at or after its time.
        #expect(events.firstIndex { if case .image = $0 { true } else { false } } == 1)
        #expect(events.lastIndex { if case .image = $0 { true } else { false } } == 13)
    }

    /// The images of `cam1` with the time stamps of `cam0`, and its pose relative to `cam0`.
    @Test func stereoOfEuRoC() async throws {
        let folder = try TemporaryFolder()
        try ImportFixtures.euroc(folder)
        let single = try SensorSourceFile.open(folder.url)
        #expect(single.rig.secondCamera == nil)
        try folder.write(
            "#timestamp [ns],filename\n1403715273262142976,c.png\n1403715273312143105,d.png\n", to: "mav0/cam1/data.csv")
        try folder.write(try ImportFixtures.frame(3), to: "mav0/cam1/data/c.png")
        // 0.11 m further along the body's y axis.
        let sensor = ImportFixtures.sensor.replacingOccurrences(of: "[8.5, 8.25, 4.0, 3.0]", with: "[8.0, 8.25, 4.0, 3.0]")
            .replacingOccurrences(of: "-0.06", with: "0.05")
        try folder.write(sensor, to: "mav0/cam1/sensor.yaml")
        let source = try SensorSourceFile.open(folder.url)
        #expect(source.rig.secondCamera?.focal.x == 8 && source.rig.camera.focal.x == 8.5)
        let second = source.rig.secondFromCamera * (source.rig.cameraFromBody * Vector3d(-0.02, 0.05, 0.01))
        #expect(length(second) < 1e-12)
        let images = try await source.all().images
        #expect(images.map(\.secondLuma) == [Fixtures.image(3).luma, nil])
        #expect(source.problems.count == 0)
        // A calibration of the second camera that is not supported does not cost the recording.
        try folder.write(sensor.replacingOccurrences(of: "camera_model: pinhole", with: "camera_model: omni"), to: "mav0/cam1/sensor.yaml")
        let alone = try SensorSourceFile.open(folder.url)
        #expect(try await alone.all().images.map(\.secondLuma) == [nil, nil] && alone.rig.secondCamera == nil)
        #expect(alone.problems.messages.first?.contains("cam1/sensor.yaml:2: the camera model 'omni' is not supported") == true)
    }

    @Test func invalidEntriesOfAnImportAreCounted() async throws {
        let folder = try TemporaryFolder()
        try ImportFixtures.euroc(folder)
        try folder.write(
            "1403715273262142976,a.png\n1403715273212143104,b.png\nwhen,b.png\n1403715273312143104,../b.png\n1403715273412143104,c.png\n"
                + "99999999999999999999999,b.png\n",
            to: "mav0/cam0/data.csv")
        try folder.write(
            "1403715273262142976,0,0,0,0,0,9\n1403715273267142976,nan,0,0,0,0,9\n1403715273257142976,0,0,0,0,0,9\n1403715273272142976,0,0\n"
                + "1403715273282142976,0,0,0,0,0,9\n", to: "mav0/imu0/data.csv")
        let source = try SensorSourceFile.open(folder.url)
        let events = try await source.all()
        #expect(events.images.count == 1 && events.inertial.count == 2)
        let said = source.problems.messages
        for reason in [
            "data.csv:2: an image at", "data.csv:3: no time stamp", "is not a file name inside the recording", "c.png: no such file",
            "data.csv:6: no time stamp", "imu0/data.csv:2: an inertial sample that is not finite", "imu0/data.csv:3: an inertial sample at",
            "imu0/data.csv:4: 3 values instead of 7",
        ] { #expect(said.contains { $0.contains(reason) }, "\(reason) in \(said)") }
        #expect(source.problems.count == 8)
    }

    @Test func anImportWithoutUsableImagesIsAnError() throws {
        let folder = try TemporaryFolder()
        try ImportFixtures.euroc(folder)
        try folder.write("#nothing\n", to: "mav0/cam0/data.csv")
        #expect(message { _ = try SensorSourceFile.open(folder.url) }?.contains("no image of this recording") == true)
    }

    @Test(arguments: [
        ("camera_model: pinhole", "camera_model: omni", "sensor.yaml:2: the camera model 'omni' is not supported"),
        ("radial-tangential", "fov", "the distortion 'fov' is not supported"), ("[9, 7]", "[9]", "\"resolution\" is not"),
        ("[8.5, 8.25, 4.0, 3.0]", "[8.5, nan, 4.0, 3.0]", "\"intrinsics\" is not"),
        ("[8.5, 8.25, 4.0, 3.0]", "[-8.5, 8.25, 4.0, 3.0]", "a camera that is not valid"), ("1.0]", "1.0", "'[' without ']'"),
        ("-1.0, 0.0, -0.02", "-2.0, 0.0, -0.02", "the transform is not rigid"), ("rate_hz: 20", "rate_hz 20", "expected \"name: value\""),
        ("rate_hz: 20", "   rate_hz: 20", "is indented more"), ("rate_hz: 20", "rate_hz: &a 20", "'&' is not supported"),
    ])
    func brokenCalibrationsNameTheLine(_ part: String, _ replacement: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        try ImportFixtures.euroc(folder)
        #expect(ImportFixtures.sensor.contains(part))
        try folder.write(ImportFixtures.sensor.replacingOccurrences(of: part, with: replacement), to: "mav0/cam0/sensor.yaml")
        let said = message { _ = try SensorSourceFile.open(folder.url) }
        #expect(said?.contains(reason) == true && said?.contains("sensor.yaml:") == true, "\(said ?? "none")")
    }

    @Test func kalibrChains() throws {
        let text = """
            %YAML:1.0 # need to specify the file type at the top!

            cam0:
              T_cam_imu: #rotation from IMU to camera
                - [0.0, 1.0, 0.0, 0.5]
                - [-1.0, 0.0, 0.0, 0.25]
                - [0.0, 0.0, 1.0, -0.125]
                - [0.0, 0.0, 0.0, 1.0]
              cam_overlaps: []
              camera_model: pinhole
              distortion_coeffs: [0.1, 0.2, 0.3, 0.4]
              distortion_model: equidistant
              intrinsics: [190.5, 190.25, 254.0, 256.0]
              resolution: [512, 512]
              rostopic: "/cam0/image_raw"
              timeshift_cam_imu: 0.0025
            cam1:
              T_cn_cnm1:
                - [1.0, 0.0, 0.0, -0.1]
                - [0.0, 1.0, 0.0, 0.0]
                - [0.0, 0.0, 1.0, 0.02]
                - [0.0, 0.0, 0.0, 1.0]
              camera_model: pinhole
              distortion_coeffs: [0.1, 0.2, 0.3, 0.4]
              distortion_model: equidistant
              intrinsics: [180.5, 190.25, 254.0, 256.0]
              resolution: [512, 512]
            """
        let rig = try KalibrCalibration.rig(try YAMLParser.parse(Array(text.utf8), name: "chain"), name: "chain")
        #expect(rig.camera.distortion == .kannalaBrandt(SIMD4(0.1, 0.2, 0.3, 0.4)) && rig.camera.center == Vector2d(254.5, 256.5))
        #expect(rig.cameraFromBody * Vector3d(1, 2, 3) == Vector3d(2.5, -0.75, 2.875) && rig.timeOffset == 0.0025)
        let second = try KalibrCalibration.second(try YAMLParser.parse(Array(text.utf8), name: "chain"), name: "chain")
        #expect(second?.camera.focal.x == 180.5 && second?.fromFirst.translation == Vector3d(-0.1, 0, 0.02))
        let lone = text.replacingOccurrences(of: "T_cn_cnm1", with: "T_other")
        let chain = try YAMLParser.parse(Array(lone.utf8), name: "chain")
        #expect(message { _ = try KalibrCalibration.second(chain, name: "chain") }?.contains("\"T_cn_cnm1\" of cam1 is missing") == true)
    }

    @Test func tumRGBD() async throws {
        let folder = try TemporaryFolder()
        try folder.write("# color images\n# file: 'x.bag'\n1.000000 rgb/a.png\n1.033 rgb/b.png\n", to: "rgb.txt")
        try folder.write("1.012 depth/a.png\n1.9 depth/none.png\n", to: "depth.txt")
        try folder.write("1.0 0.1 9.7 0.2\n", to: "accelerometer.txt")
        try folder.write("525 525 4.0 3.0\n9 7\n", to: "camera.txt")
        for (index, name) in ["a", "b"].enumerated() { try folder.write(try ImportFixtures.frame(index), to: "rgb/\(name).png") }
        // z up: upright, then rotated by 90° about the vertical. The pose is exact at the first image, and interpolated halfway at the second.
        try folder.write(
            "# ground truth trajectory\n# file: 'x.bag'\n# timestamp tx ty tz qx qy qz qw\n1.0000 1.0 2.0 3.0 0.0 0.0 0.0 1.0\n"
                + "1.0660 1.0 4.0 3.0 0.0 0.0 0.7071 0.7071\n1.0660 1 4 3 0 0 0 1\n", to: "groundtruth.txt")
        try folder.write(try ImageFile.encodeGray16([5000, 0, 10000, 2500], width: 2, height: 2), to: "depth/a.png")
        let opened = try SensorSourceFile.opened(folder.url)
        #expect(opened.layout == "TUM RGB-D" && !opened.source.rig.hasInertialUnit && opened.source.rig.camera.center == Vector2d(4.5, 3.5))
        let images = try await opened.source.all().images
        #expect(images.map(\.time) == [0, 0.033])
        #expect(images[0].depth?.metres.values == [1, 0, 2, 0.5] && images[1].depth == nil)
        #expect(images[0].worldFromCamera?.translation == Vector3d(1, 3, -2))
        let halfway = try #require(images[1].worldFromCamera)
        #expect(length(halfway.translation - Vector3d(1, 3, -3)) < 1e-12)
        // The camera's x axis, rotated by 45° about +Y.
        #expect(length(halfway.rotation.x - Vector3d(0.5.squareRoot(), 0, -0.5.squareRoot())) < 1e-4)
        #expect(
            opened.source.problems.messages == [
                "groundtruth.txt:6: the time of a pose does not increase", "accelerometer.txt: has no gyroscope beside it and is not used",
            ])
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("camera.txt"))
        #expect(message { _ = try SensorSourceFile.open(folder.url) }?.contains("9 × 7 pixels, and no camera.txt") == true)
    }

    @Test func polycam() async throws {
        let folder = try TemporaryFolder()
        for (index, stamp) in [1_000_000, 1_500_000].enumerated() {
            let json = """
                {"width": 9, "height": 7, "fx": 8.0, "fy": 8.5, "cx": 4.0, "cy": 3.0, "timestamp": \(stamp), "blur_score": 120.5,
                 "neighbors": [1, 2], "t_00": 1, "t_01": 0, "t_02": 0, "t_03": \(index), "t_10": 0, "t_11": 1, "t_12": 0, "t_13": 2,
                 "t_20": 0, "t_21": 0, "t_22": 1, "t_23": 3}
                """
            try folder.write(json, to: "keyframes/cameras/\(stamp).json")
            try folder.write(try ImportFixtures.frame(index), to: "keyframes/images/\(stamp).jpg")
            try folder.write(try ImageFile.encodeGray16([1000, 1, 2, 3], width: 2, height: 2), to: "keyframes/depth/\(stamp).png")
            let middle: UInt8 = index == 0 ? 127 : 54
            try folder.write(try ImageFile.encodeGray([0, middle, 255, 255], width: 2, height: 2), to: "keyframes/confidence/\(stamp).png")
        }
        try folder.write("{\"width\": 9}", to: "keyframes/cameras/7.json")
        let opened = try SensorSourceFile.opened(folder.url)
        #expect(opened.layout == "Polycam")
        let images = try await opened.source.all().images
        #expect(images.map(\.time) == [0, 0.5] && images[1].depth?.metres[0, 0] == 1)
        #expect(images.allSatisfy { $0.depth?.confidence?.values == [0, 1, 2, 2] })
        let pose = try #require(images[1].worldFromCamera)
        // ARKit's camera looks along −z with y up, Vitrine's along z with y down.
        #expect(pose.translation == Vector3d(1, 2, 3) && pose.rotation.z == Vector3d(0, 0, -1) && pose.rotation.y == Vector3d(0, -1, 0))
        #expect(opened.source.problems.messages == ["keyframes/cameras/7.json: width, height, fx, fy, cx or cy is missing"])
    }

    /// Exports since autumn 2026 have the time in the file name only; some keyframes have no corrected pose.
    @Test func polycamWithoutTimes() async throws {
        let folder = try TemporaryFolder()
        func keyframe(_ stem: Int, _ prefix: String, _ number: Int) throws {
            try folder.write(
                """
                {"blur_score":132.5,"cx":4.1,"cy":3.2,"fx":8.0,"fy":8.0,"height":7,"manual_keyframe":false,"t_00":0.0,"t_01":1.0,"t_02":0.0,
                "t_03":\(number).5,"t_10":0.0,"t_11":0.0,"t_12":1.0,"t_13":0.0,"t_20":1.0,"t_21":0.0,"t_22":0.0,"t_23":-0.25,"width":9}
                """, to: "keyframes/\(prefix)cameras/\(stem).json")
            try folder.write(try ImportFixtures.frame(number), to: "keyframes/\(prefix)images/\(stem).jpg")
        }
        for (number, stem) in [824_048_931_094, 824_049_264_427, 824_049_600_000].enumerated() { try keyframe(stem, "", number) }
        var source = try SensorSourceFile.open(folder.url)
        #expect(try await source.all().images.map(\.time) == [0, 0.333333, 0.668906] && source.problems.count == 0)
        for (number, stem) in [824_048_931_094, 824_049_264_427].enumerated() { try keyframe(stem, "corrected_", number + 10) }
        source = try SensorSourceFile.open(folder.url)
        #expect(try await source.all().images.map(\.worldFromCamera?.translation.x) == [10.5, 11.5])
        #expect(source.problems.messages == ["keyframes/cameras/824049600000.json: has no corrected camera, like 0 others: skipped"])
        // File names with numbers instead of times.
        let numbered = try TemporaryFolder()
        for stem in 0..<3 {
            try numbered.write(try folder.text("keyframes/cameras/824048931094.json"), to: "keyframes/cameras/0000\(stem).json")
            try numbered.write(try ImportFixtures.frame(stem), to: "keyframes/images/0000\(stem).jpg")
        }
        source = try SensorSourceFile.open(numbered.url)
        #expect(
            try await source.all().images.map(\.time) == [0, 0.1, 0.2] && source.problems.messages.first?.contains("are numbered") == true
        )
    }

    @Test func tumCamerasAreDetectedByTheFolderName() throws {
        let folder = try TemporaryFolder()
        try folder.write("# color images\n1305031102.175304 rgb/1305031102.175304.png\n", to: "rgbd_dataset_freiburg1_xyz/rgb.txt")
        let camera = try SensorSourceFile.open(folder.url.appendingPathComponent("rgbd_dataset_freiburg1_xyz")).rig.camera
        // The published calibration with the third coefficient: 517.3, 516.5, 0.2624 -0.9531 -0.0054 0.0026 1.1633.
        for point in [Vector2d(0, 0), Vector2d(0.3, -0.2), Vector2d(-0.5, 0.35), Vector2d(0.55, 0.4)] {
            let r = (point * point).sum()
            let radial = 1 + r * (0.2624 + r * (-0.9531 + r * 1.1633))
            let (u, v) = (point.x, point.y)
            let x = u * radial + 2 * -0.0054 * u * v + 0.0026 * (r + 2 * u * u)
            let y = v * radial - 0.0054 * (r + 2 * v * v) + 2 * 0.0026 * u * v
            let ours = camera.project(Vector3d(u, v, 1))
            let off = ours - Vector2d(517.3 * x + 319.1, 516.5 * y + 255.8)
            #expect((off * off).sum().squareRoot() < 2.5, "\(point): \(off)")
        }
    }

    @Test func tumVI() async throws {
        let folder = try TemporaryFolder()
        try folder.write("#timestamp [ns],filename\n1403715273262142976,1403715273262142976.png\n", to: "mav0/cam0/data.csv")
        try folder.write(
            "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n"
                + "1403715273262142976,-0.0012,0.0034,-0.0081,9.7412,0.5231,-1.0021\n", to: "mav0/imu0/data.csv")
        try folder.write(
            """
            #Accelerometers
            accelerometer_noise_density: 0.0014     # m/s^2/sqrt(Hz)     (accel "white noise")
            accelerometer_random_walk:   0.000086   # m/s^3/sqrt(Hz)

            #Gyroscopes
            gyroscope_noise_density:     0.00008    # rad/s/sqrt(Hz)     (gyro "white noise")
            gyroscope_random_walk:       0.0000022

            rostopic:                    /imu0
            update_rate:                 200.0
            """, to: "dso/imu_config.yaml")
        let wide = (0..<63).map { UInt16($0) << 10 | 255 }
        try folder.write(try ImageFile.encodeGray16(wide, width: 9, height: 7), to: "mav0/cam0/data/1403715273262142976.png")
        try folder.write(
            """
            cam0:
              T_cam_imu:
              - [1.0, 0.0, 0.0, 0.0]
              - [0.0, 1.0, 0.0, 0.0]
              - [0.0, 0.0, 1.0, 0.0]
              - [0.0, 0.0, 0.0, 1.0]
              camera_model: pinhole
              distortion_coeffs: [0.0034, 0.0007, -0.0020, 0.0002]
              distortion_model: equidistant
              intrinsics: [190.9, 190.9, 254.9, 256.8]
              resolution: [9, 7]
            """, to: "dso/camchain.yaml")
        let source = try SensorSourceFile.open(folder.url)
        #expect(source.rig.camera.distortion == .kannalaBrandt(SIMD4(0.0034, 0.0007, -0.0020, 0.0002)))
        #expect(source.rig.noise.accelerometer == 0.0014 && source.rig.noise.gyroscopeWalk == 0.0000022 && source.rig.hasInertialUnit)
        let images = try await source.all().images
        #expect(images.first?.image.luma.values == (0..<63).map { UInt8($0 << 2) })
    }

    @Test func timesOfTextFilesAreExact() {
        func seconds(_ text: String) -> Int64? { TimeStamp.nanoseconds(ofSeconds: Array(text.utf8)[...]) }
        #expect(seconds("1305031102.175304") == 1_305_031_102_175_304_000)
        #expect(seconds("1305031102") == 1_305_031_102_000_000_000)
        #expect(seconds("0.0000000019") == 1)
        #expect(seconds("-1.5") == -1_500_000_000 && seconds("1.5e2") == 150_000_000_000)
        for text in ["", "a", "1.2.3", "nan", "1e99", ".", "9999999999", "9223372037"] { #expect(seconds(text) == nil, "\(text)") }
    }

    /// Real hand-held frames, if the shared data exists.
    @Test(.enabled(if: SharedData.has("ar/handheld-room"), SharedData.missing)) func handheldRoom() async throws {
        let source = try SensorSourceFile.open(try SharedData.url("ar/handheld-room"))
        #expect(source.rig.camera.width == 640 && source.rig.camera.height == 360 && source.rig.hasInertialUnit)
        var events: [SensorEvent] = []
        while events.images.count < 3, let event = try await source.next() { events.append(event) }
        #expect(events.inertial.count > 250 && source.problems.count == 0)
        #expect(source.clockOrigin == 1_650_458_715_596_950_054)
    }
}
