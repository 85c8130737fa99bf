import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

@Suite struct CameraFileTests {
    private func expectCameras(_ read: [NamedCamera], within tolerance: Double = 1e-6) {
        let (model, names, _) = ExportScenes.model()
        #expect(read.map(\.name) == model.registered.map { names[$0] })
        for (entry, photo) in zip(read, model.registered) {
            #expect(ExportScenes.agree(entry.camera, model.cameras[photo]!, within: tolerance), "\(entry.name)")
        }
    }

    @Test func posesFileRoundTrip() throws {
        let (model, names, _) = ExportScenes.model()
        let file = PosesFile(model, names: names, isMetric: true)
        expectCameras(try KnownCameras.read(try file.json(), file: "poses.json"))
        #expect(file.leftOut.map(\.name) == ["a/three 3.jpg"] && file.leftOut.map(\.reason) == ["tooFewPoints"])
        #expect(file.cameras[2].group == 1 && file.cameras[0].meanError == 0.5 && file.unit == "metre")
        // The camera looks along its −Z.
        let camera = try #require(model.cameras[0])
        let q = file.cameras[0].rotation
        let forward = Vector3d(
            -2 * (q[0] * q[2] + q[3] * q[1]), -2 * (q[1] * q[2] - q[3] * q[0]), -(1 - 2 * (q[0] * q[0] + q[1] * q[1])))
        let ahead = camera.cameraFromWorld * (camera.centerInWorld + forward)
        #expect(abs(ahead.x) < 1e-12 && abs(ahead.y) < 1e-12 && abs(ahead.z - 1) < 1e-12)
    }

    @Test func transformsFileRoundTrip() throws {
        let (model, names, _) = ExportScenes.model()
        let file = TransformsFile(model, names: names)
        expectCameras(try KnownCameras.read(try file.json(), file: "transforms.json"))
        // Only with a single lens there are intrinsics at the top level.
        #expect(file.intrinsics.fl_x == nil && file.frames[0].intrinsics.fl_x == 700)
        var single = model
        single.cameras[3] = nil
        let shared = TransformsFile(single, names: names)
        #expect(shared.intrinsics.fl_x == 700 && shared.intrinsics.distortion["k3"] == 0.01 && shared.intrinsics.w == 800)
    }

    /// A telephone and a fisheye camera in one set.
    @Test func transformsFileOfSeveralProjections() throws {
        var (model, names, _) = ExportScenes.model()
        let photo = try #require(model.registered.last)
        model.cameras[photo]!.intrinsics.distortion = LensDistortion(.kannalaBrandt, coefficients: [0.02, -0.01, 0.004, -0.001])
        let file = TransformsFile(model, names: names)
        #expect(file.camera_model == nil && file.frames.last?.camera_model == "OPENCV_FISHEYE" && file.frames[0].camera_model == "OPENCV")
        let read = try KnownCameras.read(try file.json(), file: "transforms.json")
        #expect(read.map(\.camera.intrinsics) == model.registered.map { model.cameras[$0]!.intrinsics })
        var wrong = file
        wrong.frames[1].camera_model = "PANORAMA"
        let bytes = try wrong.json()
        #expect { try KnownCameras.read(bytes, file: "c.json") } throws: { ($0 as? CameraFileError)?.location == "frames/1/camera_model" }
    }

    @Test func colmapRoundTrip() throws {
        let (model, names, positions) = ExportScenes.model()
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("sparse/0")
            try COLMAPModel.write(model, names: names, to: target) { positions[$0][$1] }
            expectCameras(try KnownCameras.read(target))
            expectCameras(try KnownCameras.read(target.appendingPathComponent("images.txt")))
            let cameras = try String(contentsOf: target.appendingPathComponent("cameras.txt"), encoding: .utf8)
            #expect(cameras.contains("1 FULL_OPENCV 800 600 700.0 710.0 401.5 298.25 0.05 -0.02 0.001 -0.002 0.01 0.0 0.0 0.0\n"))
            #expect(cameras.contains("2 SIMPLE_RADIAL 640 480 500.0 320.0 240.0 -0.1\n"))
        }
    }

    /// Every projection of the family, with all coefficients that a file has, through every file and a checkpoint.
    @Test(arguments: LensDistortion.Projection.allCases) func everyLensSurvivesEveryFile(projection: LensDistortion.Projection) throws {
        let coefficients = projection.coefficientNames.indices.map { 0.01 / Double($0 + 1) }
        let lens = CameraIntrinsics(
            width: 640, height: 480, focal: Vector2d(500, 510), center: Vector2d(321, 239),
            distortion: LensDistortion(projection, coefficients: coefficients))
        #expect(lens.distortion.coefficients == coefficients && lens.distortion.projection == projection)
        let pose = RigidTransform(rotation: .rotation(Vector3d(0.1, 0.2, 0.3)), translation: Vector3d(0, 0, 4))
        let model = SparseModel(
            cameras: [PosedCamera(intrinsics: lens, cameraFromWorld: pose)],
            groups: [CameraGroup(intrinsics: lens, lens: lens.distortion.model, photos: [0])], points: [], fits: [PhotoFit()], leftOut: [])
        func expectLens(_ cameras: [NamedCamera], _ file: String) { #expect(cameras.map(\.camera.intrinsics) == [lens], "\(file)") }
        expectLens(try KnownCameras.read(try PosesFile(model, names: ["x"], isMetric: false).json(), file: "poses.json"), "poses")
        expectLens(try KnownCameras.read(try TransformsFile(model, names: ["x"]).json(), file: "transforms.json"), "transforms")
        try withTemporaryDirectory { folder in
            try COLMAPModel.write(model, names: ["x"], to: folder) { _, _ in .zero }
            expectLens(try KnownCameras.read(folder), "COLMAP")
        }
        var writer = ByteWriter()
        lens.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        #expect(try CameraIntrinsics.read(from: &reader) == lens)
        for name in projection.calibrationNames {
            #expect(LensDistortion.Projection(calibrationName: name.uppercased()) == projection)
        }
    }

    /// The same projections in COLMAP's own code.
    @Test(.enabled(if: PythonModules.pycolmap != nil, "no Python with pycolmap: set VITRINE_PYTHON to one that has it"))
    func pycolmapProjectsToTheSamePixels() throws {
        let (model, names, positions) = ExportScenes.model()
        try withTemporaryDirectory { folder in
            try COLMAPModel.write(model, names: names, to: folder) { positions[$0][$1] }
            let script = """
                import sys, pycolmap, numpy
                model = pycolmap.Reconstruction(sys.argv[1])
                assert len(model.cameras) == 2 and len(model.images) == 3 and len(model.points3D) == 20
                worst = 0
                for image in model.images.values():
                    for point in image.points2D:
                        assert point.has_point3D()
                        projected = image.project_point(model.points3D[point.point3D_id].xyz)
                        worst = max(worst, numpy.abs(projected - point.xy).max())
                tracks = sum(len(p.track.elements) for p in model.points3D.values())
                print('fine' if worst < 1e-6 and tracks == sum(len(i.points2D) for i in model.images.values()) else worst)
                """
            #expect(try PythonModules.run(script, [folder.path]) == "fine\n")
        }
    }

    @Test func lensesUseTheSmallestCOLMAPModel() throws {
        func lens(_ focal: Vector2d, _ radial: Vector3d = .zero, _ tangential: Vector2d = .zero) throws -> String {
            let camera = CameraIntrinsics(
                width: 10, height: 10, focal: focal, center: Vector2d(5, 5), radial: radial, tangential: tangential)
            let posed = PosedCamera(intrinsics: camera, cameraFromWorld: .identity)
            let model = SparseModel(
                cameras: [posed], groups: [CameraGroup(intrinsics: camera, lens: .brownConrady, photos: [0])], points: [],
                fits: [PhotoFit()],
                leftOut: [])
            return try withTemporaryDirectory { folder in
                try COLMAPModel.write(model, names: ["x"], to: folder) { _, _ in .zero }
                let read = try KnownCameras.read(folder)
                #expect(read.first?.camera.intrinsics == camera)
                let text = try String(contentsOf: folder.appendingPathComponent("cameras.txt"), encoding: .utf8)
                return String(text.split(separator: "\n").last?.split(separator: " ")[1] ?? "")
            }
        }
        #expect(try lens(Vector2d(9, 9)) == "SIMPLE_PINHOLE" && lens(Vector2d(9, 8)) == "PINHOLE")
        #expect(try lens(Vector2d(9, 9), Vector3d(0.1, 0, 0)) == "SIMPLE_RADIAL" && lens(Vector2d(9, 9), Vector3d(0.1, 0.2, 0)) == "RADIAL")
        #expect(try lens(Vector2d(9, 9), Vector3d(0, 0.2, 0)) == "RADIAL" && lens(Vector2d(9, 8), Vector3d(0.1, 0, 0)) == "OPENCV")
        #expect(try lens(Vector2d(9, 9), .zero, Vector2d(0.1, 0)) == "OPENCV" && lens(Vector2d(9, 9), Vector3d(0, 0, 0.1)) == "FULL_OPENCV")
    }

    private static let matrices = """
        {"cameras": [{"image": "images/1.jpg", "width": 640, "height": 480, "K": [[500, 0, 320], [0, 510, 240], [0, 0, 1]],
        "R": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], "t": [1, 2, 3], "distortion": [0.1, 0.2, 0.3, 0.4, 0.5]}]}
        """

    @Test func matricesFileIsRead() throws {
        let camera = try #require(try KnownCameras.read(Array(Self.matrices.utf8), file: "c.json").first?.camera)
        #expect(
            camera.intrinsics.distortion.radial == Vector3d(0.1, 0.2, 0.5) && camera.intrinsics.distortion.tangential == Vector2d(0.3, 0.4))
        #expect(camera.intrinsics.focal == Vector2d(500, 510) && camera.intrinsics.center == Vector2d(320, 240))
        #expect(length(camera.cameraFromWorld * Vector3d(1, 0, 0) - Vector3d(1, 1, 3)) < 1e-12)
    }

    @Test(arguments: [
        ("[500, 0, 320]", "[500, 3, 320]", "c.json:cameras/0/K: must be upper triangular without skew, its last row 0 0 1"),
        ("[500, 0, 320]", "[500, 0]", "c.json:cameras/0/K: has 2 numbers, must have 3"),
        ("[500, 0, 320]", "[-500, 0, 320]", "c.json:cameras/0: focal lengths of -500.0 and 510.0 pixels"),
        ("[0, 1, 0]", "[0, 2, 0]", "c.json:cameras/0/R: is not a rotation: its rows are not unit vectors at right angles"),
        ("[0, 1, 0]", "[0, -1, 0]", "c.json:cameras/0/R: is a reflection: its determinant is negative"),
        ("\"t\": [1, 2, 3]", "\"t\": [1, 2]", "c.json:cameras/0/t: has 2 numbers, must have 3"),
        ("\"t\": [1, 2, 3]", "\"t\": \"x\"", "c.json:cameras/0/t: must be a list"),
        ("\"t\": [1, 2, 3],", "", "c.json:cameras/0: \"t\" is missing"),
        ("640", "0.5", "c.json:cameras/0: an image size of 0.5 × 480.0 pixels"),
        ("\"cameras\"", "\"kameras\"", "c.json: has neither \"cameras\" nor \"frames\""),
        ("}]}", "", "c.json: is not JSON"),
    ])
    func errorsNameTheLocation(from: String, to: String, message: String) {
        let text = Self.matrices.replacingOccurrences(of: from, with: to)
        #expect { try KnownCameras.read(Array(text.utf8), file: "c.json") } throws: {
            "\($0)" == message
        }
    }

    @Test(arguments: [
        ("1 PINHOLE 10 10 5 5 5 5", "1 1 0 0 0 0 0 0 2 x.jpg", "images.txt:line 2: camera 2 is not in cameras.txt"),
        ("1 PINHOLE 10 10 5 5 5", "1 1 0 0 0 0 0 0 1 x.jpg", "cameras.txt:line 2: PINHOLE has 4 parameters, not 3"),
        ("1 FISHEYE 10 10 5 5 5", "1 1 0 0 0 0 0 0 1 x.jpg", "cameras.txt:line 2: the camera model FISHEYE is not supported"),
        ("1 PINHOLE 10 10 5 5 5 5", "1 0 0 0 0 0 0 0 1 x.jpg", "images.txt:line 2: the rotation is not a quaternion of length 1"),
        ("1 PINHOLE 10 10 5 5 5 5", "1 1 0 0 0 0 0 0 1", "images.txt:line 2: must have IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME"),
    ])
    func errorsOfCOLMAPFilesNameTheLine(cameras: String, images: String, message: String) throws {
        try withTemporaryDirectory { folder in
            try Data("# cameras\n\(cameras)\n".utf8).write(to: folder.appendingPathComponent("cameras.txt"))
            try Data("# images\n\(images)\n\n".utf8).write(to: folder.appendingPathComponent("images.txt"))
            #expect { try KnownCameras.read(folder) } throws: {
                "\($0)" == folder.path + "/" + message
            }
        }
    }

    @Test func camerasMatchPhotosByName() throws {
        func camera(_ name: String, _ x: Double) -> NamedCamera {
            let lens = CameraIntrinsics(width: 1, height: 1, focal: Vector2d(1, 1), center: .zero)
            let pose = RigidTransform(rotation: .identity, translation: Vector3d(x, 0, 0))
            return NamedCamera(name: name, camera: PosedCamera(intrinsics: lens, cameraFromWorld: pose))
        }
        let cameras = [camera("./images/a/1.jpg", 1), camera("images/b/1.jpg", 2), camera("images/2", 3), camera("c/3.png", 4)]
        func found(_ photos: [String]) throws -> [Double?] { try cameras.matched(to: photos).map { $0?.cameraFromWorld.translation.x } }
        #expect(try found(["/home/x/b/1.jpg", "a/1.jpg", "2.JPG", "3.jpg", "4.jpg", "3.png"]) == [2, 1, 3, nil, nil, 4])
        #expect { try found(["1.jpg"]) } throws: {
            "\($0)" == "2 cameras could be those of 1.jpg: ./images/a/1.jpg, images/b/1.jpg"
        }
    }

    /// Two descriptions of the same real cameras.
    @Test(.enabled(if: SharedData.has("photosets/fox"), SharedData.missing))
    func twoFilesOfTheSameCamerasAgree() throws {
        let matrices = try KnownCameras.read(try SharedData.url("photosets/fox/cameras.json"))
        let transforms = try KnownCameras.read(try SharedData.url("photosets/fox/transforms.json"))
        #expect(matrices.count == 50)
        let matched = try transforms.matched(to: matrices.map(\.name))
        for (entry, other) in zip(matrices, matched) {
            #expect(ExportScenes.agree(entry.camera, try #require(other), within: 0.01), "\(entry.name)")
        }
        for url in SharedData.files(under: "photosets", extensions: ["json"]) where url.lastPathComponent == "cameras.json" {
            #expect(throws: Never.self, "\(url.path)") { try KnownCameras.read(url) }
        }
    }
}

/// A Python that has a module: `$VITRINE_PYTHON`, else `python3`.
enum PythonModules {
    static let pycolmap: String? = {
        let environment = ProcessInfo.processInfo.environment["VITRINE_PYTHON"]
        return [environment, "python3"].compactMap { $0 }.first { (try? execute([$0, "-c", "import pycolmap"]))?.status == 0 }
    }()

    static func run(_ script: String, _ arguments: [String]) throws -> String {
        try execute([pycolmap ?? "python3", "-c", script] + arguments).output
    }

    private static func execute(_ command: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
