from c4core.players.blog import blog_weights as blog_weights
