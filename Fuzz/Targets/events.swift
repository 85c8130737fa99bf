import VitrineFiles
import VitrineGeometry
import VitrineMotion

/// Scripts of events, and the gestures that process them.
let eventsTarget = FuzzTarget(
    seeds: {
        [
            """
            [{"time":0,"type":"down","x":10,"y":20},{"time":0.1,"type":"move","x":1.5,"y":null,"modifiers":["shift"]},
            {"time":0.2,"type":"up","x":1e3,"y":-2},{"time":1,"type":"down","pointer":"mouse","button":"right","x":1,"y":2}]
            """,
            """
            [{"time":2,"type":"scroll","dy":-1.5},{"time":2,"type":"keyDown","key":"left"},{"time":3,"type":"stick","x":0.5,"y":1},
            {"time":3,"type":"padDown","button":"south"},{"time":4,"type":"attitude","quaternion":[0,1,0,0]},{"time":4,"type":"cancel"}]
            """,
        ].map { Array($0.utf8) }
    },
    run: { input in
        guard let script = try? EventScript(json: input) else { return }
        let bounds = Rectangle(x: 0, y: 0, width: 100, height: 100)
        var (tilt, turn) = (TiltController(bounds: bounds), TurnController(bounds: bounds))
        var (pan, press) = (PanController(limits: bounds, viewportSize: bounds.size), LongPressGesture())
        for event in script.events {
            tilt.handle(event)
            turn.handle(event)
            pan.handle(event)
            _ = press.handle(event)
        }
        let end = script.duration + 1
        precondition(tilt.angles(at: end).isFinite && turn.orientation(at: end).vector.isFinite && pan.offset(at: end).isFinite)
    })
