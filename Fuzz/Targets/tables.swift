// modules: VitrineVision VitrineVideo VitrineMapping VitrineTracking VitrineAR
import Foundation
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Tables of other recording formats, read up to the images. The first letter selects the format.
let tablesTarget = FuzzTarget(
    seeds: {
        [
            "p#timestamp [ns],filename\r\n1403715273262142976,a.png\r\n1403715273312143104,b.png\r\n",
            "i#timestamp [ns],w,w,w,a,a,a\n1403715273262142976,0.1,0.2,0.3,9.8,0.0,-1\n1403715273267142976,nan,0,0,0,0,9\n",
            "r# color images\n1305031102.175304 rgb/a.png\n1.033 rgb/b.png\n", "d1.012 depth/a.png\n1.9 depth/none.png\n",
            "g# timestamp tx ty tz qx qy qz qw\n1.0000 1.0 2.0 3.0 0 0 0 1\n1.0660 1.0 4.0 3.0 0 0 0.7071 0.7071\n",
            "cRadTan 525 525 4.0 3.0 0.1 0.2 0.3 0.4\n9 7\n",
            "otimestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy\n100.04, 000001, 0, 1, 2, 0, 0, 0, 1, 60.5, 60.5, 31.5, 23.5, , \n",
            "mtimestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n100.0,-1,0,0,0.1,0.2,0.3\n",
            "k{\"width\":9,\"height\":7,\"fx\":8,\"fy\":8,\"cx\":4,\"cy\":3,\"timestamp\":824048931094,\"t_00\":1,\"t_01\":0,\"t_02\":0,\"t_03\":0.5,"
                + "\"t_10\":0,\"t_11\":1,\"t_12\":0,\"t_13\":2,\"t_20\":0,\"t_21\":0,\"t_22\":1,\"t_23\":3}",
        ].map { Array($0.utf8) }
    },
    run: { input in
        guard let first = input.first, let (folder, file) = paths[first] else { return }
        let text = Array(input.dropFirst())
        write(text, to: root + "/" + folder + "/" + file)
        if first == UInt8(ascii: "o") || first == UInt8(ascii: "m") { return stray() }
        guard let recording = open(URL(fileURLWithPath: root + "/" + folder)) else { return }
        check(recording)
    })

private let root = "/dev/shm/vitrine-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
private let camera = "cam0:\n  camera_model: pinhole\n  intrinsics: [8, 8, 4, 3]\n  resolution: [9, 7]\n"

/// The file for each letter's text, in folders whose other files are right.
private let paths: [UInt8: (String, String)] = {
    write(Array(camera.utf8), to: root + "/euroc/camchain.yaml")
    write(Array("1403715273262142976,a.png\n".utf8), to: root + "/euroc/mav0/cam0/data.csv")
    write(Array(camera.utf8), to: root + "/pictures/camchain.yaml")
    for folder in ["tum", "list", "camera"] { write(Array("1.0 rgb/a.png\n1.04 rgb/b.png\n".utf8), to: root + "/\(folder)/rgb.txt") }
    return [
        UInt8(ascii: "p"): ("pictures", "mav0/cam0/data.csv"), UInt8(ascii: "i"): ("euroc", "mav0/imu0/data.csv"),
        UInt8(ascii: "r"): ("list", "rgb.txt"), UInt8(ascii: "d"): ("tum", "depth.txt"), UInt8(ascii: "g"): ("tum", "groundtruth.txt"),
        UInt8(ascii: "c"): ("camera", "camera.txt"), UInt8(ascii: "o"): ("stray", "odometry.csv"), UInt8(ascii: "m"): ("stray", "imu.csv"),
        UInt8(ascii: "k"): ("polycam", "keyframes/cameras/824048931094.json"),
    ]
}()

private func write(_ bytes: [UInt8], to path: String) {
    let url = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    guard (try? Data(bytes).write(to: url)) != nil else { fatalError("\(path) can't be written") }
}

private func open(_ folder: URL) -> ImportedRecording? {
    if let recording = try? EuRoCImporter.open(folder) { return recording }
    if let recording = try? TUMImporter.open(folder) { return recording }
    if let recording = try? PolycamImporter.open(folder) { return recording }
    return nil
}

private func stray() {
    let files = ImportFiles(URL(fileURLWithPath: root + "/stray"))
    var problems = SourceProblems()
    let camera = CameraIntrinsics(width: 9, height: 7, focal: Vector2d(8, 8), center: Vector2d(4, 3))
    let images = try? StrayScannerImporter.images(files, camera, &problems)
    let inertial = try? StrayScannerImporter.inertial(files, &problems)
    var recording = ImportedRecording(kind: "Stray Scanner", directory: files.directory, rig: SensorRig(camera: camera))
    recording.take(inertial: inertial ?? StampedRows(), frames: images ?? StampedRows())
    check(recording)
}

/// The guarantees for a tracker.
private func check(_ recording: ImportedRecording) {
    precondition(recording.rig.camera.isPossible)
    precondition(recording.inertial.allSatisfy(\.isFinite))
    precondition(zip(recording.inertial, recording.inertial.dropFirst()).allSatisfy { $0.time < $1.time })
    precondition(zip(recording.frames, recording.frames.dropFirst()).allSatisfy { $0.time < $1.time })
    precondition(recording.frames.allSatisfy { $0.camera?.isPossible ?? true && $0.worldFromCamera?.isPossible ?? true })
}
